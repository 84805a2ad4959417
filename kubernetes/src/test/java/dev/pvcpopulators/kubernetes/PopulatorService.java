package dev.pvcpopulators.kubernetes;

import dev.pvcpopulators.httpupload.HttpUploadSettings;
import dev.pvcpopulators.images.ImageName;
import dev.pvcpopulators.imagetoqcow2layers.LayersSettings;
import dev.pvcpopulators.registrycopy.RegistryCopySettings;
import dev.pvcpopulators.registrystreamiscsi.RegistryStreamIscsiSettings;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The services, as their code presents them.
enum PopulatorService {
  HTTP_UPLOAD(dev.pvcpopulators.httpupload.Main.class, HttpUploadSettings.class),
  REGISTRY_COPY(dev.pvcpopulators.registrycopy.Main.class, RegistryCopySettings.class),
  REGISTRY_STREAM_ISCSI(
      dev.pvcpopulators.registrystreamiscsi.Main.class, RegistryStreamIscsiSettings.class),
  IMAGE_TO_QCOW2_LAYERS(dev.pvcpopulators.imagetoqcow2layers.Main.class, LayersSettings.class);

  private static final Pattern FLAGS = Pattern.compile("^Usage: (\\S+) \\[([^]]+)]");
  private static final ConcurrentMap<PopulatorService, Set<String>> KNOWN_FLAGS =
      new ConcurrentHashMap<>();

  private final Class<?> main;
  private final Class<?> settings;

  PopulatorService(Class<?> main, Class<?> settings) {
    this.main = main;
    this.settings = settings;
  }

  /// The interface of its own settings, besides those that all services share.
  Class<?> settings() {
    return settings;
  }

  /// As its module, its image and `quarkus.application.name` are called.
  String id() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  /// The image that the project's build makes.
  String image() {
    return ImageName.local(id(), Project.VERSION);
  }

  /// Whether the name is one of those that the build gives, be it of no service.
  static boolean builtHere(String image) {
    return image.startsWith(ImageName.local("", "").replaceFirst(":$", ""));
  }

  /// The service that an image is named after, in whichever registry and version.
  static Optional<PopulatorService> ofImage(String image) {
    String name = image.replaceFirst("@.*$", "").replaceFirst(":[^:/]*$", "");
    String last = name.substring(name.lastIndexOf('/') + 1);
    return Arrays.stream(values()).filter(service -> service.id().equals(last)).findFirst();
  }

  /// The arguments that it takes, as its `--help` says.
  Set<String> flags() {
    return KNOWN_FLAGS.computeIfAbsent(this, PopulatorService::askFlags);
  }

  /// The properties that are built into it.
  URL applicationProperties() {
    return resource(main, "application.properties");
  }

  /// A file of the jar, or the directory, that a class is from. The class path has several files of
  /// that name.
  static URL resource(Class<?> type, String name) {
    try {
      URI location = type.getProtectionDomain().getCodeSource().getLocation().toURI();
      return Files.isDirectory(Path.of(location))
          ? Path.of(location).resolve(name).toUri().toURL()
          : URI.create("jar:" + location + "!/" + name).toURL();
    } catch (URISyntaxException | MalformedURLException e) {
      throw new IllegalStateException("Finding " + name + " beside " + type, e);
    }
  }

  private Set<String> askFlags() {
    try {
      String help =
          Command.tried(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-XX:TieredStopAtLevel=1",
                      "-cp",
                      System.getProperty("java.class.path"),
                      main.getName(),
                      "--help"))
              .ok();
      Matcher matcher = FLAGS.matcher(help);
      if (!matcher.find() || !matcher.group(1).equals(id())) {
        throw new AssertionError("Asking " + id() + " for its flags: found " + help);
      }
      return new TreeSet<>(List.of(matcher.group(2).split(" \\| ", -1)));
    } catch (IOException e) {
      throw new IllegalStateException("Asking " + id() + " for its flags", e);
    }
  }
}

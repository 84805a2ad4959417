package dev.pvcpopulators.kubernetes.manifest;

import dev.pvcpopulators.images.ImageName;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Services;
import dev.pvcpopulators.kit.job.Service;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A service as its code defines it.
///
/// @param id the name of the service's module and image, and the value of
///   `quarkus.application.name`
public record PopulatorService(String id) {
  public static final PopulatorService HTTP_UPLOAD = new PopulatorService("http-upload");
  public static final PopulatorService REGISTRY_STREAM_ISCSI =
      new PopulatorService("registry-stream-iscsi");

  private static final Pattern FLAGS = Pattern.compile("^Usage: (\\S+) \\[([^]]+)]");
  private static final ConcurrentMap<PopulatorService, Set<String>> KNOWN_FLAGS =
      new ConcurrentHashMap<>();

  public static List<PopulatorService> all() {
    return Services.names().stream().map(PopulatorService::new).toList();
  }

  /// Returns the interface of the service's own settings. The interface does not contain the
  /// settings that all services share.
  public Class<?> settings() {
    try {
      return ((Service) main().getField("SERVICE").get(null)).settings().getFirst();
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("The service " + id + " has no Main.SERVICE", e);
    }
  }

  private Class<?> main() {
    String name = "dev.pvcpopulators." + Services.packageOf(id) + ".Main";
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new LinkageError("The service " + id + " has no " + name, e);
    }
  }

  /// Returns the name of the image that the project's build creates.
  public String image() {
    return ImageName.local(id(), Project.VERSION);
  }

  /// Returns whether an image's name has the prefix of the images that the project's build creates.
  /// The image need not belong to an existing service.
  public static boolean builtHere(String image) {
    return image.startsWith(ImageName.local("", "").replaceFirst(":$", ""));
  }

  /// Returns the service whose name is the last component of an image's name, in any registry and
  /// version; empty if there is no such service.
  public static Optional<PopulatorService> ofImage(String image) {
    String name = image.replaceFirst("@.*$", "").replaceFirst(":[^:/]*$", "");
    String last = name.substring(name.lastIndexOf('/') + 1);
    return all().stream().filter(service -> service.id().equals(last)).findFirst();
  }

  /// Returns the arguments that the service's `--help` lists.
  public Set<String> flags() {
    return KNOWN_FLAGS.computeIfAbsent(this, PopulatorService::askFlags);
  }

  /// Returns the URL of the service's built-in properties.
  URL applicationProperties() {
    return resource(main(), "application.properties");
  }

  /// Returns the URL of a file in the jar or directory that contains a class. This method does not
  /// use the class loader: several jars and directories can have a file with this name, and the
  /// class loader may return the wrong file.
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
    String help =
        Command.of(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main().getName(),
                "--help")
            .tried()
            .ok()
            .out();
    Matcher matcher = FLAGS.matcher(help);
    if (!matcher.find() || !matcher.group(1).equals(id())) {
      throw new AssertionError("Asking " + id() + " for its flags: found " + help);
    }
    return new TreeSet<>(List.of(matcher.group(2).split(" \\| ", -1)));
  }
}

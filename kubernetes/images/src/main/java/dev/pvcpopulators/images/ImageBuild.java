package dev.pvcpopulators.images;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainer;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.RegistryImage;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.frontend.CredentialRetrieverFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/// Adds a staged service to its base image. The build is reproducible.
final class ImageBuild {
  /// The user ID and group ID of the service's process: those of QEMU in KubeVirt. The manifests
  /// set `fsGroup` to this group, so that this group owns the files of Filesystem volumes.
  private static final String USER = "107:107";

  private static final String TITLE = "pvc-populators ";
  private static final String LICENCE = "Apache-2.0";

  private final Arguments arguments;

  ImageBuild(Arguments arguments) {
    this.arguments = arguments;
  }

  /// Creates or replaces `SERVICE.tar`, and pushes the image if requested.
  ///
  /// @return one text with the archive's path and the image's local name; if the image was pushed,
  ///   also a second text with the image's name in the registry and the image's digest
  List<String> build(String name)
      throws IOException,
          InterruptedException,
          ExecutionException,
          RegistryException,
          InvalidImageReferenceException,
          CacheDirectoryCreationException {
    Service service = Service.read(arguments.staged(), name);
    JibContainerBuilder image = describe(service);
    Files.createDirectories(arguments.output());
    Path archive = arguments.output().resolve(service.id() + ".tar");
    Files.deleteIfExists(archive);
    // Each call uses a new directory for Jib's cache, and deletes it at the end. The cache
    // identifies files by name and time, and all our files have the same time. With the cache of an
    // earlier build, Jib would therefore use the old files.
    Path layers = Files.createTempDirectory(arguments.output(), "layers");
    try {
      String local = name(ImageName.LOCAL, service);
      Containerizer toArchive = Containerizer.to(TarImage.at(archive).named(local));
      image.containerize(configured(toArchive, layers));
      List<String> made = new ArrayList<>(List.of(archive + " (" + local + ")"));
      if (arguments.push().isPresent()) {
        String remote = name(arguments.push().get(), service);
        Containerizer toRegistry = Containerizer.to(registry(remote));
        JibContainer pushed = image.containerize(configured(toRegistry, layers));
        made.add(remote + "@" + pushed.getDigest());
      }
      return made;
    } finally {
      delete(layers);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private JibContainerBuilder describe(Service service)
      throws IOException, InvalidImageReferenceException {
    JibContainerBuilder image =
        ownBase() ? Jib.from(TarImage.at(base(service))) : Jib.from(registry(arguments.base()));
    // The AOT cache is added only to our own base image, because the JVM of another image refuses
    // the cache.
    StagedService staged = StagedService.in(arguments.staged(), service, ownBase());
    image.setFileEntriesLayers(staged.layers());
    image.setUser(USER);
    // The path of the jars is relative, because it was relative when the AOT cache was created. The
    // cache is invalid for jars at another path.
    image.setWorkingDirectory(StagedService.ROOT);
    image.setEntrypoint(
        "java",
        "@" + StagedService.ROOT.resolve(StagedService.ARGUMENTS),
        "-jar",
        StagedService.RUNNER);
    image.setExposedPorts(service.ports());
    image.setLabels(labels(service));
    image.setCreationTime(arguments.created());
    // Without MALLOC_ARENA_MAX, glibc creates up to 8 arenas for each processor, and each arena may
    // keep freed memory.
    image.addEnvironmentVariable("MALLOC_ARENA_MAX", "2");
    service.environment().forEach(image::addEnvironmentVariable);
    return image;
  }

  private boolean ownBase() {
    return Files.isDirectory(Path.of(arguments.base()));
  }

  private Path base(Service service) throws NoSuchFileException {
    Path base = Path.of(arguments.base()).resolve(service.base().file());
    if (!Files.isReadable(base)) {
      throw new NoSuchFileException(base.toString());
    }
    return base;
  }

  /// Returns the image's labels: the annotations of the OCI image specification, section
  /// "Annotations".
  private Map<String, String> labels(Service service) {
    Map<String, String> labels = new LinkedHashMap<>();
    String prefix = "org.opencontainers.image.";
    labels.put(prefix + "title", TITLE + service.id());
    labels.put(prefix + "description", service.description());
    labels.put(prefix + "version", arguments.version());
    labels.put(prefix + "created", arguments.created().toString());
    labels.put(prefix + "licenses", LICENCE);
    arguments.origin().revision().ifPresent(it -> labels.put(prefix + "revision", it));
    arguments.origin().source().ifPresent(it -> labels.put(prefix + "source", it));
    if (!ownBase()) {
      labels.put(prefix + "base.name", arguments.base());
    }
    return labels;
  }

  private String name(String prefix, Service service) {
    return ImageName.in(prefix, service.id(), arguments.version());
  }

  private static RegistryImage registry(String name) throws InvalidImageReferenceException {
    ImageReference reference = ImageReference.parse(name);
    return RegistryImage.named(reference)
        .addCredentialRetriever(
            CredentialRetrieverFactory.forImage(reference, event -> {}).dockerConfig());
  }

  private Containerizer configured(Containerizer containerizer, Path layers) {
    return containerizer
        .setBaseImageLayersCache(arguments.output().resolve("base-layers"))
        .setApplicationLayersCache(layers)
        .setAllowInsecureRegistries(arguments.insecure())
        .setToolName("pvc-populators")
        .setToolVersion(arguments.version());
  }
}

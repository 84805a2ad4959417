package dev.pvcpopulators.images;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// A service in the directory layout that stage.sh makes.
///
/// @param application the directory `app`, whose files are copied unchanged into the image; the AOT
///   cache is copied only if `cached` is true
/// @param cached whether the image gets the service's AOT cache
record StagedService(Path application, boolean cached) {
  /// The file with the JVM's arguments, which name the AOT cache if stage.sh made one.
  static final String ARGUMENTS = "java.args";

  static final String RUNNER = "quarkus-run.jar";

  /// The path of the service in the image, which is also the working directory.
  static final AbsoluteUnixPath ROOT = AbsoluteUnixPath.get("/app");

  private static final String CACHE = "app.aot";

  /// The prefix of the file names of this project's jars.
  private static final String OWN = "dev.pvcpopulators.";

  /// Finds a staged service.
  ///
  /// @param cached whether the service must have an AOT cache
  /// @throws NoSuchFileException if the staged service is missing or incomplete
  static StagedService in(Path staged, Service service, boolean cached) throws NoSuchFileException {
    Path application = staged.resolve(service.id()).resolve("app");
    List<String> needed = cached ? List.of(RUNNER, ARGUMENTS, CACHE) : List.of(RUNNER, ARGUMENTS);
    for (String file : needed) {
      if (!Files.isRegularFile(application.resolve(file))) {
        throw new NoSuchFileException(application.resolve(file).toString());
      }
    }
    return new StagedService(application, cached);
  }

  /// Returns the image's layers, from the least to the most frequently changed: third-party jars
  /// and native libraries; our own jars; the AOT cache, which changes if one of the other layers
  /// changes.
  List<FileEntriesLayer> layers() throws IOException {
    List<FileEntriesLayer> layers = new ArrayList<>();
    layers.add(layer("dependencies", this::dependency));
    layers.add(layer("application", file -> !dependency(file) && !cache(file)));
    if (cached) {
      layers.add(layer("aot-cache", this::cache));
    }
    return layers;
  }

  private boolean cache(Path file) {
    return file.equals(application.resolve(CACHE));
  }

  private boolean dependency(Path file) {
    boolean library =
        file.startsWith(application.resolve("lib"))
            || file.startsWith(application.resolve("native"));
    return library && !file.getFileName().toString().startsWith(OWN);
  }

  /// Returns a layer. Jib sets the time of every file to 1 s after the epoch and its owner to root.
  private FileEntriesLayer layer(String name, Predicate<Path> which) throws IOException {
    FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
    try (Stream<Path> files = Files.walk(application)) {
      for (Path file : files.filter(Files::isRegularFile).filter(which).sorted().toList()) {
        layer.addEntry(file, ROOT.resolve(application.relativize(file)));
      }
    }
    return layer.build();
  }
}

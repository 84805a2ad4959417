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

/// A service as stage.sh lays it out.
///
/// @param application the directory `app`, which goes into the image as it is
/// @param cached whether it has an AOT cache
record StagedService(Path application, boolean cached) {
  /// The JVM's arguments, which name the AOT cache.
  static final String ARGUMENTS = "java.args";

  static final String RUNNER = "quarkus-run.jar";

  /// Where it is in the image; the working directory, too.
  static final AbsoluteUnixPath ROOT = AbsoluteUnixPath.get("/app");

  private static final String CACHE = "app.aot";

  /// How the jars of this project are named among those of others.
  private static final String OWN = "dev.pvcpopulators.";

  /// Looks for it.
  ///
  /// @param cached whether it has an AOT cache
  /// @throws NoSuchFileException if it is not there or not whole
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

  /// The image's layers, those that change least first: other people's jars and native libraries;
  /// our own; the AOT cache, which changes with both.
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

  /// Jib gives every file the time 1 s after the epoch and root as its owner.
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

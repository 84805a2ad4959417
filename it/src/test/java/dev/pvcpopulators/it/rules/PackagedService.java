package dev.pvcpopulators.it.rules;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Services;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/// The jars of a packaged service.
///
/// @param name the name of its module
record PackagedService(String name) {
  static final List<PackagedService> ALL =
      Services.names().stream().map(PackagedService::new).toList();

  /// Returns the file names of the service's third-party jars.
  List<String> libraries() throws IOException {
    return jars().stream()
        .map(jar -> String.valueOf(jar.getFileName()))
        .filter(jar -> !jar.startsWith("dev.pvcpopulators.") && !jar.startsWith(name))
        .toList();
  }

  /// Returns, for each class, the file names of the jars that contain this class. Omits jars that
  /// Quarkus generates, because their classes replace other classes.
  Map<String, List<String>> classes() throws IOException {
    Map<String, List<String>> owners = new TreeMap<>();
    for (Path path : jars()) {
      try (JarFile jar = new JarFile(path.toFile())) {
        jar.stream()
            .map(JarEntry::getName)
            .filter(PackagedService::isClass)
            .forEach(entry ->
                owners
                    .computeIfAbsent(entry, _ -> new ArrayList<>())
                    .add(String.valueOf(path.getFileName())));
      }
    }
    return owners;
  }

  private List<Path> jars() throws IOException {
    Path application = Command.root().resolve(name).resolve("target/quarkus-app");
    List<Path> jars = new ArrayList<>();
    for (String directory : List.of("app", "lib/boot", "lib/main")) {
      try (Stream<Path> files = Files.list(application.resolve(directory))) {
        files.filter(file -> file.toString().endsWith(".jar")).forEach(jars::add);
      }
    }
    return jars;
  }

  /// Returns whether a jar entry is a class, but not a package or module descriptor. Returns false
  /// for classes below `META-INF`, because these classes are for other versions of Java.
  private static boolean isClass(String entry) {
    return entry.endsWith(".class")
        && !entry.startsWith("META-INF/")
        && !entry.equals("module-info.class")
        && !entry.endsWith("/package-info.class");
  }
}

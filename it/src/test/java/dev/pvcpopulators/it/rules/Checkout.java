package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/// The files of this checkout.
final class Checkout {
  private static final List<Path> FILES = read();

  private Checkout() {}

  /// Returns all regular files in sorted order, without build output and Git's own files.
  static List<Path> files() {
    return FILES;
  }

  /// Returns the path of a file relative to the checkout, with `/` between its parts.
  static String name(Path file) {
    return Command.root().relativize(file).toString();
  }

  private static List<Path> read() {
    List<Path> files = new ArrayList<>();
    try {
      Files.walkFileTree(
          Command.root(),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(
                Path directory, BasicFileAttributes attributes) {
              return skipped(directory) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              // Skips symbolic links, because their targets are other files of the checkout.
              if (attributes.isRegularFile()) {
                files.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertTrue(files.size() > 1, "no files");
    return files.stream().sorted().toList();
  }

  /// Returns whether a directory has build output or Git's own files. A directory `target` has
  /// build output only if a `pom.xml` is beside it.
  private static boolean skipped(Path directory) {
    return directory.endsWith(".git")
        || (directory.endsWith("target") && Files.exists(directory.resolveSibling("pom.xml")));
  }
}

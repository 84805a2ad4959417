package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.compression.Decompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;

/// The modules of a kernel. The file `modules.dep`, which depmod(8) writes, lists the modules and
/// their dependencies. The file `modules.builtin` lists the modules that are built into the kernel.
final class KernelModules {
  private static final int MAX_LIST_LENGTH = 16 << 20;
  private static final int MAX_MODULE_LENGTH = 64 << 20;
  private static final String SUFFIX = ".ko";

  private final Path directory;
  private final Map<String, Module> modules = new HashMap<>();
  private final Set<String> builtIn = new HashSet<>();

  /// The file of a module, and the names of the modules on which the module depends.
  private record Module(String file, List<String> needs) {}

  private KernelModules(Path directory) {
    this.directory = directory;
  }

  /// Reads `modules.dep` and `modules.builtin`.
  ///
  /// @param directory the directory with `modules.dep` and, if the kernel has built-in modules,
  ///   `modules.builtin`
  static KernelModules read(Path directory) throws IOException {
    KernelModules read = new KernelModules(directory);
    for (String line : lines(directory.resolve("modules.dep"))) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        String file = line.substring(0, colon);
        List<String> needs = new ArrayList<>();
        for (String need : line.substring(colon + 1).split(" ", -1)) {
          if (!need.isEmpty()) {
            needs.add(name(need));
          }
        }
        read.modules.put(name(file), new Module(file, needs));
      }
    }
    Path builtIn = directory.resolve("modules.builtin");
    if (Files.exists(builtIn)) {
      lines(builtIn).forEach(line -> read.builtIn.add(name(line)));
    }
    return read;
  }

  private static List<String> lines(Path file) throws IOException {
    return new String(bytes(file, MAX_LIST_LENGTH), UTF_8).lines().toList();
  }

  /// Returns the content of a file.
  ///
  /// @throws FileSystemException if the file has more than `limit` bytes
  static byte[] bytes(Path file, int limit) throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      return bytes(file, stream, limit);
    }
  }

  private static byte[] bytes(Path file, InputStream stream, int limit) throws IOException {
    byte[] bytes = stream.readNBytes(limit + 1);
    if (bytes.length > limit) {
      throw new FileSystemException(file.toString(), null, "has more than " + limit + " bytes");
    }
    return bytes;
  }

  /// Returns the name of a module's file without directory and suffixes. Replaces hyphens with
  /// underscores, because the kernel does not distinguish them.
  private static String name(String file) {
    String last = file.substring(file.lastIndexOf('/') + 1);
    int suffix = last.indexOf(SUFFIX);
    return (suffix < 0 ? last : last.substring(0, suffix)).strip().replace('-', '_');
  }

  /// Returns whether the kernel has a module, as a file or built in.
  boolean has(String name) {
    return modules.containsKey(name) || builtIn.contains(name);
  }

  /// Returns the names of a module and of its dependencies in loading order, so that the module
  /// itself is last. Leaves out built-in modules; the list is empty if the module itself is built
  /// in.
  ///
  /// @throws NoSuchFileException if the module or one of its dependencies is neither in
  ///   `modules.dep` nor built in
  List<String> loadOrder(String name) throws NoSuchFileException {
    SequencedSet<String> order = new LinkedHashSet<>();
    add(name, order, new HashSet<>());
    return List.copyOf(order);
  }

  private void add(String name, SequencedSet<String> order, Set<String> begun)
      throws NoSuchFileException {
    if (builtIn.contains(name) || !begun.add(name)) {
      return;
    }
    Module module = modules.get(name);
    if (module == null) {
      throw new NoSuchFileException(
          directory.resolve("modules.dep").toString(), null, "no module " + name);
    }
    // A line of `modules.dep` contains the direct and the indirect dependencies of a module. The
    // dependencies are in reverse loading order.
    for (String need : module.needs().reversed()) {
      add(need, order, begun);
    }
    order.add(name);
  }

  /// Returns the content of a module's file. Decompresses a file with the suffix `.xz`, `.zst` or
  /// `.gz`.
  ///
  /// @throws NoSuchFileException if the kernel has no file for the module
  byte[] content(String name) throws IOException {
    Module module = modules.get(name);
    if (module == null) {
      throw new NoSuchFileException(directory.toString(), null, "no module " + name);
    }
    Path file = directory.resolve(module.file());
    byte[] stored = bytes(file, MAX_MODULE_LENGTH);
    Optional<Compression> compression = compression(module.file());
    if (compression.isEmpty()) {
      return stored;
    }
    try (InputStream stream =
        Decompressor.open(compression.get(), new ByteArrayInputStream(stored))) {
      return bytes(file, stream, MAX_MODULE_LENGTH);
    }
  }

  private static Optional<Compression> compression(String file) {
    return switch (file.substring(file.lastIndexOf('.') + 1)) {
      case "xz" -> Optional.of(Compression.XZ);
      case "zst" -> Optional.of(Compression.ZSTD);
      case "gz" -> Optional.of(Compression.GZIP);
      default -> Optional.empty();
    };
  }
}

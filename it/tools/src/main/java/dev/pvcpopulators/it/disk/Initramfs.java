package dev.pvcpopulators.it.disk;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// An initial file system for a guest. The file system contains busybox, other programs of the
/// host, the libraries of these programs, and modules of the guest's kernel.
public final class Initramfs {
  /// The directory with the guest's kernel and its modules. `.ci/install-test-tools` fills the
  /// directory.
  private static final Path KERNEL = Path.of("/var/cache/pvc-populators/guest-kernel");

  private static final Pattern LIBRARY = Pattern.compile("(/\\S+)(?= \\(0x)");
  private static final List<String> DIRECTORIES =
      List.of("proc", "sys", "dev", "tmp", "run/lock", "mnt", "var/lib", "etc", "bin", "sbin");

  private final Path tree;

  private Initramfs(Path tree) {
    this.tree = tree;
  }

  /// Returns the path of the kernel that matches the modules.
  public static Path kernel() {
    return require(KERNEL.resolve("vmlinuz"));
  }

  /// Creates a file system with busybox only.
  ///
  /// @param directory the parent directory of the new file system
  public static Initramfs in(Path directory) throws IOException {
    Initramfs made = new Initramfs(Files.createTempDirectory(directory, "initramfs"));
    for (String name : DIRECTORIES) {
      Files.createDirectories(made.tree.resolve(name));
    }
    made.program("busybox");
    Files.copy(made.tree.resolve("sbin/busybox"), made.tree.resolve("bin/busybox"));
    return made;
  }

  /// Copies a program of the host to `/sbin`. Also copies the shared libraries of the program.
  public Initramfs program(String name) throws IOException {
    Path found =
        Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin")
            .map(directory -> Path.of(directory, name))
            .filter(Files::isExecutable)
            .findFirst()
            .orElseThrow(() -> new AssertionError(name + " is not installed"));
    Files.copy(found, tree.resolve("sbin").resolve(name));
    // `ldd` fails for a static program. A static program needs no libraries.
    Matcher library = LIBRARY.matcher(Command.tried(List.of("ldd", found.toString())).out());
    while (library.find()) {
      Path to = tree.resolve(library.group(1).substring(1));
      Files.createDirectories(to.getParent());
      if (Files.notExists(to, LinkOption.NOFOLLOW_LINKS)) {
        Files.copy(Path.of(library.group(1)), to);
      }
    }
    return this;
  }

  /// Adds kernel modules and their dependencies. The guest can then load the modules with
  /// `modprobe`.
  public Initramfs modules(String... names) throws IOException {
    try (Stream<Path> versions = Files.list(require(KERNEL.resolve("lib/modules")))) {
      Path from = versions.findFirst().orElseThrow();
      Path to = tree.resolve("lib/modules").resolve(from.getFileName().toString());
      Files.createDirectories(to);
      List<String> dependencies = Files.readAllLines(require(from.resolve("modules.dep")));
      Files.write(to.resolve("modules.dep"), dependencies);
      for (String name : names) {
        for (String module : closure(dependencies, name)) {
          Path copy = to.resolve(module);
          Files.createDirectories(copy.getParent());
          if (Files.notExists(copy)) {
            Files.copy(from.resolve(module), copy);
          }
        }
      }
    }
    return this;
  }

  private static List<String> closure(List<String> dependencies, String name) {
    return dependencies.stream()
        .filter(line -> line.substring(0, line.indexOf(':')).endsWith("/" + name + ".ko"))
        .findFirst()
        .map(line -> List.of(line.replace(":", "").split(" ")))
        .orElseThrow(() -> new AssertionError("No module " + name));
  }

  /// Adds a text file.
  ///
  /// @param path the path relative to the root directory
  public Initramfs file(String path, String text) throws IOException {
    Path file = tree.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return this;
  }

  /// Sets the script that the kernel runs first. Before the script begins, busybox installs its
  /// commands in `/bin`.
  public Initramfs init(String script) throws IOException {
    file(
        "init",
        "#!/bin/busybox sh\n/bin/busybox --install -s /bin\nexport PATH=/bin:/sbin\n" + script);
    if (!tree.resolve("init").toFile().setExecutable(true)) {
      throw new IOException("init cannot be made executable");
    }
    return this;
  }

  /// Packs the file system as a cpio archive. Returns the path of the archive.
  public Path pack() throws IOException {
    Path list = tree.resolveSibling(tree.getFileName() + ".list");
    try (Stream<Path> files = Files.walk(tree)) {
      List<String> names = new ArrayList<>();
      files
          .filter(file -> !file.equals(tree))
          .forEach(file -> names.add(tree.relativize(file).toString()));
      Files.write(list, names);
    }
    Path archive = tree.resolveSibling(tree.getFileName() + ".cpio");
    Command.run("sh", "-c", "cd " + tree + " && busybox cpio -o -H newc <" + list + " >" + archive);
    return archive;
  }

  private static Path require(Path file) {
    if (Files.notExists(file)) {
      throw new AssertionError(file + " is missing: run .ci/install-test-tools");
    }
    return file;
  }
}

package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A kernel with its modules, and busybox, at the paths of Debian's packages: `boot/vmlinuz-*` or
/// `vmlinuz`, `lib/modules/*` or `usr/lib/modules/*`, `bin/busybox` or `usr/bin/busybox`.
///
/// @param vmlinuz the kernel
/// @param modules the directory that has `modules.dep`
/// @param busybox a statically linked busybox, which must run its own applets independently of
///   `PATH`, as Debian's busybox-static does
/// @param release the kernel's release, for example `6.1.0-41-cloud-amd64`
public record GuestKernel(Path vmlinuz, Path modules, Path busybox, String release) {
  private static final List<String> MODULES = List.of("lib/modules", "usr/lib/modules");
  private static final List<String> BUSYBOX = List.of("bin/busybox", "usr/bin/busybox");
  private static final Pattern PART = Pattern.compile("[0-9]+|[^0-9]+");

  /// Orders releases by version: 6.1.0-9 before 6.1.0-41.
  static final Comparator<String> BY_VERSION = GuestKernel::compareVersions;

  /// Finds the newest kernel that has modules. If the directory has no statically linked busybox,
  /// uses the host's busybox.
  ///
  /// @param directory the directory with unpacked packages; `/` on a host where the packages are
  ///   installed
  /// @return the kernel with its modules and busybox; empty if one of the three is missing
  public static Optional<GuestKernel> find(Path directory) throws IOException {
    Optional<Path> own = busybox(directory);
    Optional<Path> busybox = own.isPresent() ? own : busybox(Path.of("/"));
    List<GuestKernel> found = new ArrayList<>();
    for (Path modules : moduleDirectories(directory)) {
      String release = modules.getFileName().toString();
      Optional<Path> vmlinuz = kernel(directory, release);
      if (busybox.isPresent() && vmlinuz.isPresent()) {
        found.add(new GuestKernel(vmlinuz.get(), modules, busybox.get(), release));
      }
    }
    return found.stream().max(Comparator.comparing(GuestKernel::release, BY_VERSION));
  }

  private static List<Path> moduleDirectories(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String name : MODULES) {
      Path releases = directory.resolve(name);
      if (Files.isDirectory(releases)) {
        try (Stream<Path> entries = Files.list(releases)) {
          entries
              .filter(entry -> Files.isReadable(entry.resolve("modules.dep")))
              .forEach(found::add);
        }
      }
    }
    return found;
  }

  /// Returns the kernel of a release. A regular file `vmlinuz` fits any release. A symbolic link
  /// `vmlinuz` fits only if it leads to a file with the name `vmlinuz` or `vmlinuz-RELEASE`.
  private static Optional<Path> kernel(Path directory, String release) throws IOException {
    Path named = directory.resolve("boot").resolve("vmlinuz-" + release);
    if (Files.isReadable(named)) {
      return Optional.of(named);
    }
    Path plain = directory.resolve("vmlinuz");
    if (!Files.isReadable(plain)) {
      return Optional.empty();
    }
    String real = plain.toRealPath().getFileName().toString();
    boolean ours = real.equals("vmlinuz") || real.equals("vmlinuz-" + release);
    return ours ? Optional.of(plain) : Optional.empty();
  }

  private static Optional<Path> busybox(Path directory) throws IOException {
    for (String name : BUSYBOX) {
      Path busybox = directory.resolve(name);
      if (Files.isReadable(busybox) && ElfFile.linkedStatically(busybox)) {
        return Optional.of(busybox);
      }
    }
    return Optional.empty();
  }

  private static int compareVersions(String one, String other) {
    Matcher ones = PART.matcher(one);
    Matcher others = PART.matcher(other);
    while (true) {
      boolean more = ones.find();
      if (more != others.find()) {
        return more ? 1 : -1;
      }
      if (!more) {
        return 0;
      }
      int order = comparePart(ones.group(), others.group());
      if (order != 0) {
        return order;
      }
    }
  }

  private static int comparePart(String one, String other) {
    boolean numbers = Character.isDigit(one.charAt(0)) && Character.isDigit(other.charAt(0));
    return numbers ? new BigInteger(one).compareTo(new BigInteger(other)) : one.compareTo(other);
  }
}

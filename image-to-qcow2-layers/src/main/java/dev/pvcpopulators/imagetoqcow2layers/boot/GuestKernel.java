package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// A kernel with its modules, and busybox, as Debian's packages unpack: `boot/vmlinuz-*` or
/// `vmlinuz`, `lib/modules/*` or `usr/lib/modules/*`, `bin/busybox` or `usr/bin/busybox`.
///
/// @param vmlinuz the kernel
/// @param modules the directory that has `modules.dep`
/// @param busybox linked statically
/// @param release of the kernel: `6.1.0-41-cloud-amd64`
@SuppressWarnings("DoNotCallSuggester")
public record GuestKernel(Path vmlinuz, Path modules, Path busybox, String release) {
  /// Looks for one; the newest where there are several.
  ///
  /// @param directory where packages were unpacked; `/` on a machine that has them installed
  /// @return empty where something of it is missing
  public static Optional<GuestKernel> find(Path directory) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}

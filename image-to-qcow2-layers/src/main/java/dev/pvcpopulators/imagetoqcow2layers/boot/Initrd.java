package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.IOException;
import java.nio.file.Path;

/// The initial file system: busybox, the modules that a virtual machine needs, `/init`; and behind
/// it, aligned, a second archive with what one image needs.
@SuppressWarnings("DoNotCallSuggester")
public final class Initrd {
  private Initrd() {}

  /// Writes one. The same kernel and process give the same bytes.
  ///
  /// @param file is made or replaced
  public static void write(Path file, GuestKernel kernel, GuestProcess process) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}

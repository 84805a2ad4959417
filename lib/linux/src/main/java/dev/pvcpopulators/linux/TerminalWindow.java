package dev.pvcpopulators.linux;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/// The terminal of a file descriptor (ioctl_tty(2), "Get and set window size"). Each call queries
/// the terminal again, because users resize their windows.
///
/// `struct winsize` consists of unsigned 16-bit words in the processor's byte order:
///
/// | Offset | Size | Field                          |
/// |-------:|-----:|--------------------------------|
/// |      0 |    2 | rows                           |
/// |      2 |    2 | columns; 0 = not set           |
/// |      4 |    4 | width and height in pixels     |
public final class TerminalWindow {
  /// The descriptor of standard output.
  public static final int STANDARD_OUTPUT = 1;

  /// The descriptor of standard error.
  public static final int STANDARD_ERROR = 2;

  /// `TIOCGWINSZ` of `asm-generic/ioctls.h`.
  private static final long GET_WINDOW_SIZE = 0x5413;

  private static final long STRUCT_SIZE = 8;
  private static final long COLUMNS = 2;

  private TerminalWindow() {}

  /// Returns the width of the terminal.
  ///
  /// @return the number of columns, 0 if the terminal does not report its width; empty if the
  ///   descriptor is not a terminal
  public static OptionalInt columns(int descriptor) {
    if (isPipeOrSocket(descriptor)) {
      return OptionalInt.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(STRUCT_SIZE, JAVA_SHORT.byteAlignment());
      long result = Libc.callOnce(Libc.IOCTL.of(descriptor, GET_WINDOW_SIZE, size.address()));
      return result < 0
          ? OptionalInt.empty()
          : OptionalInt.of(Short.toUnsignedInt(size.get(JAVA_SHORT, COLUMNS)));
    }
  }

  /// Returns true only for an unnamed pipe or a socket, which is never a terminal; in a pod without
  /// a terminal, the output is such a pipe. This check calls no foreign function, because the first
  /// call of a foreign function takes a few percent of the program's start time.
  private static boolean isPipeOrSocket(int descriptor) {
    try {
      String open = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return open.startsWith("pipe:") || open.startsWith("socket:");
    } catch (IOException _) {
      return false;
    }
  }
}

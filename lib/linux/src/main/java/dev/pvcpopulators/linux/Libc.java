package dev.pvcpopulators.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// Method handles of the libc functions that this module calls. Callers invoke the handle of a
/// system call inside [#call] or [#callOnce], and pass `errno` as the first argument. [#call] and
/// [#callOnce] return results by the kernel's convention: a negative result is the negated error
/// number. (`posix_fadvise` returns its error number as a positive result.)
final class Libc {
  private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option CAPTURED = Linker.Option.captureCallState("errno");

  static final MethodHandle OPENAT = variadic("openat", 3, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  static final MethodHandle FCNTL = variadic("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT);
  static final MethodHandle IOCTL = variadic("ioctl", 2, JAVA_INT, JAVA_LONG, ADDRESS);
  static final MethodHandle CLOSE = intCall("close", JAVA_INT);
  static final MethodHandle PREAD = longCall("pread", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
  static final MethodHandle PWRITE = longCall("pwrite", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
  static final MethodHandle LSEEK = longCall("lseek", JAVA_INT, JAVA_LONG, JAVA_INT);
  static final MethodHandle FTRUNCATE = intCall("ftruncate", JAVA_INT, JAVA_LONG);
  static final MethodHandle FALLOCATE =
      intCall("fallocate", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
  static final MethodHandle FSYNC = intCall("fsync", JAVA_INT);
  static final MethodHandle FDATASYNC = intCall("fdatasync", JAVA_INT);
  static final MethodHandle SYNC_FILE_RANGE =
      intCall("sync_file_range", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  static final MethodHandle POSIX_FADVISE =
      intCall("posix_fadvise", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  static final MethodHandle FLOCK = intCall("flock", JAVA_INT, JAVA_INT);
  static final MethodHandle FCHMOD = intCall("fchmod", JAVA_INT, JAVA_INT);
  static final MethodHandle FSTATFS = intCall("fstatfs", JAVA_INT, ADDRESS);
  static final MethodHandle STATX =
      intCall("statx", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
  static final MethodHandle FSETXATTR =
      intCall("fsetxattr", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
  static final MethodHandle FGETXATTR =
      longCall("fgetxattr", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
  static final MethodHandle FREMOVEXATTR = intCall("fremovexattr", JAVA_INT, ADDRESS);
  static final MethodHandle UNLINKAT = intCall("unlinkat", JAVA_INT, ADDRESS, JAVA_INT);
  static final MethodHandle RENAMEAT2 =
      intCall("renameat2", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle STRERROR =
      LINKER.downcallHandle(symbol("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

  private Libc() {}

  /// A call of one of the method handles of this class. The call stores the error number into
  /// `errno`.
  @FunctionalInterface
  interface Call {
    long make(MemorySegment errno) throws Throwable;
  }

  /// Makes a call, repeats it if a signal interrupted it, and returns its result or the negated
  /// error number.
  static long call(Call call) {
    long result;
    do {
      result = callOnce(call);
    } while (Errno.EINTR.is(result));
    return result;
  }

  /// Makes a call and returns its result or the negated error number.
  static long callOnce(Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(CAPTURE);
      long result = call.make(errno);
      return result == -1 ? -(int) ERRNO.get(errno, 0L) : result;
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static String strerror(int errno) {
    try {
      MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
      return text.reinterpret(MAX_ERROR_TEXT).getString(0);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  private static final long MAX_ERROR_TEXT = 256;

  private static MethodHandle intCall(String name, MemoryLayout... parameters) {
    return LINKER.downcallHandle(
        symbol(name), FunctionDescriptor.of(JAVA_INT, parameters), CAPTURED);
  }

  private static MethodHandle longCall(String name, MemoryLayout... parameters) {
    return LINKER.downcallHandle(
        symbol(name), FunctionDescriptor.of(JAVA_LONG, parameters), CAPTURED);
  }

  /// Returns the handle of a variadic function.
  ///
  /// @param fixed number of fixed arguments; needed because some machines pass variadic arguments
  ///   differently from fixed arguments
  private static MethodHandle variadic(String name, int fixed, MemoryLayout... parameters) {
    return LINKER.downcallHandle(
        symbol(name),
        FunctionDescriptor.of(JAVA_INT, parameters),
        CAPTURED,
        Linker.Option.firstVariadicArg(fixed));
  }

  private static MemorySegment symbol(String name) {
    return LINKER.defaultLookup().findOrThrow(name);
  }

  /// Wraps an exception of a downcall, or rethrows an [Error]. A downcall throws only in two cases:
  /// an argument is wrong (for example, memory on the heap, or freed memory), or the virtual
  /// machine fails.
  private static RuntimeException impossible(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("A foreign call failed before it was made", e);
  }
}

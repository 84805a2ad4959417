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
import java.util.Arrays;

/// The libc functions that this module calls. [#call] and [#callOnce] make a call and return its
/// result by the kernel's convention: a negative result is the negated error number.
/// (`posix_fadvise` returns its error number as a positive result.)
final class Libc {
  private static final int ARGUMENTS = 6;
  private static final long MAX_ERROR_TEXT = 256;
  private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option CAPTURED = Linker.Option.captureCallState("errno");

  /// The type of each [Function]: six arguments of 64 bits, because a system call has at most six
  /// arguments. Every [Function] has this type, because Java needs several milliseconds to link a
  /// new type, and a service needs about twenty functions at its start. On Linux, a function
  /// ignores the registers of the arguments that it does not have, and the upper half of the
  /// register of an `int`. `openat`, `fcntl` and `ioctl` are variadic; therefore the second
  /// argument is declared as variadic, which has no effect on the other functions.
  private static final MethodHandle INTEGERS =
      LINKER.downcallHandle(
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          CAPTURED,
          Linker.Option.firstVariadicArg(1));

  /// The type of `pread` and `pwrite`. During such a call, the memory cannot be freed.
  private static final MethodHandle TRANSFER =
      LINKER.downcallHandle(
          FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG), CAPTURED);

  static final Function OPENAT = intFunction("openat");
  static final Function FCNTL = intFunction("fcntl");
  static final Function IOCTL = intFunction("ioctl");
  static final Function CLOSE = intFunction("close");
  static final Function LSEEK = longFunction("lseek");
  static final Function FTRUNCATE = intFunction("ftruncate");
  static final Function FALLOCATE = intFunction("fallocate");
  static final Function FSYNC = intFunction("fsync");
  static final Function FDATASYNC = intFunction("fdatasync");
  static final Function SYNC_FILE_RANGE = intFunction("sync_file_range");
  static final Function POSIX_FADVISE = intFunction("posix_fadvise");
  static final Function FLOCK = intFunction("flock");
  static final Function FCHMOD = intFunction("fchmod");
  static final Function FSTATFS = intFunction("fstatfs");
  static final Function STATX = intFunction("statx");
  static final Function FSETXATTR = intFunction("fsetxattr");
  static final Function FGETXATTR = longFunction("fgetxattr");
  static final Function FREMOVEXATTR = intFunction("fremovexattr");
  static final Function UNLINKAT = intFunction("unlinkat");
  static final Function RENAMEAT2 = intFunction("renameat2");

  private static final MemorySegment PREAD = symbol("pread");
  private static final MemorySegment PWRITE = symbol("pwrite");

  private Libc() {}

  /// A call of a function with its arguments. The call stores the error number into `errno`.
  @FunctionalInterface
  interface Call {
    long make(MemorySegment errno) throws Throwable;
  }

  /// A function of which all arguments are integers or pointers.
  ///
  /// @param address the address of the function
  /// @param returnsInt whether the function returns an `int`, not a `long`
  record Function(MemorySegment address, boolean returnsInt) {
    /// Returns a call of this function.
    ///
    /// @param arguments at most six integers, and addresses of memory that the caller must not free
    ///   during the call
    Call of(long... arguments) {
      long[] all = Arrays.copyOf(arguments, ARGUMENTS);
      return errno -> {
        long result =
            (long)
                INTEGERS.invokeExact(
                    address, errno, all[0], all[1], all[2], all[3], all[4], all[5]);
        return returnsInt ? (int) result : result;
      };
    }
  }

  /// Returns a call that reads from a file at an offset into native memory.
  static Call pread(int fd, MemorySegment target, long offset) {
    return errno ->
        (long) TRANSFER.invokeExact(PREAD, errno, fd, target, target.byteSize(), offset);
  }

  /// Returns a call that writes native memory into a file at an offset.
  static Call pwrite(int fd, MemorySegment source, long offset) {
    return errno ->
        (long) TRANSFER.invokeExact(PWRITE, errno, fd, source, source.byteSize(), offset);
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
      // Linked only when an error is reported, because most processes never need it.
      MethodHandle strerror =
          LINKER.downcallHandle(symbol("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));
      MemorySegment text = (MemorySegment) strerror.invokeExact(errno);
      return text.reinterpret(MAX_ERROR_TEXT).getString(0);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  private static Function intFunction(String name) {
    return new Function(symbol(name), true);
  }

  private static Function longFunction(String name) {
    return new Function(symbol(name), false);
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

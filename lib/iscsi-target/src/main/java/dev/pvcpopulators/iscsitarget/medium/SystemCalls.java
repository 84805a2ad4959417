package dev.pvcpopulators.iscsitarget.medium;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// The few system calls that the JDK has no method for, with the kernel's own convention for
/// errors: a negative result is the negated error number. The caller owns the segment that `errno`
/// is captured into ([#CAPTURE]).
final class SystemCalls {
  static final StructLayout CAPTURE = Linker.Option.captureStateLayout();

  // asm-generic/errno.h; x86-64 and aarch64 agree.
  static final int EINTR = 4;
  static final int ENXIO = 6;
  static final int EAGAIN = 11;
  static final int EINVAL = 22;
  static final int ENOSPC = 28;
  static final int ENOLCK = 37;
  static final int ENOSYS = 38;
  static final int EOPNOTSUPP = 95;
  static final int EDQUOT = 122;

  // fcntl.h
  static final int O_RDONLY = 0;
  static final int O_RDWR = 2;
  static final int O_EXCL = 0x80;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;

  /// Differs between the machines that we run on (arch/arm64/include/uapi/asm/fcntl.h).
  static final int O_NOFOLLOW = "aarch64".equals(System.getProperty("os.arch")) ? 0x8000 : 0x20000;

  // unistd.h
  static final int SEEK_END = 2;
  static final int SEEK_DATA = 3;
  static final int SEEK_HOLE = 4;

  // linux/falloc.h
  static final int FALLOC_FL_KEEP_SIZE = 0x01;
  static final int FALLOC_FL_PUNCH_HOLE = 0x02;
  static final int FALLOC_FL_ZERO_RANGE = 0x10;

  // sys/file.h
  static final int LOCK_SH = 1;
  static final int LOCK_EX = 2;
  static final int LOCK_NB = 4;

  private static final VarHandle ERRNO =
      CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option CAPTURED = Linker.Option.captureCallState("errno");

  /// Its third argument is variadic, which travels differently on some machines.
  private static final MethodHandle OPEN =
      LINKER.downcallHandle(
          symbol("open"),
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
          CAPTURED,
          Linker.Option.firstVariadicArg(2));

  private static final MethodHandle CLOSE = call("close", JAVA_INT, JAVA_INT);
  private static final MethodHandle LSEEK = call("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle FALLOCATE =
      call("fallocate", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle FLOCK = call("flock", JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle PWRITE =
      call("pwrite", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle STRERROR =
      LINKER.downcallHandle(symbol("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

  private static final int MAX_ERROR_TEXT = 256;

  private SystemCalls() {}

  static int open(MemorySegment errno, MemorySegment path, int flags) {
    try {
      return (int) result(errno, (int) OPEN.invokeExact(errno, path, flags, 0));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int close(MemorySegment errno, int fd) {
    try {
      return (int) result(errno, (int) CLOSE.invokeExact(errno, fd));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static long lseek(MemorySegment errno, int fd, long offset, int whence) {
    try {
      return result(errno, (long) LSEEK.invokeExact(errno, fd, offset, whence));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fallocate(MemorySegment errno, int fd, int mode, long offset, long length) {
    try {
      return (int) result(errno, (int) FALLOCATE.invokeExact(errno, fd, mode, offset, length));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int flock(MemorySegment errno, int fd, int operation) {
    try {
      return (int) result(errno, (int) FLOCK.invokeExact(errno, fd, operation));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static long pwrite(MemorySegment errno, int fd, MemorySegment source, long offset) {
    try {
      return result(errno, (long) PWRITE.invokeExact(errno, fd, source, source.byteSize(), offset));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /// What libc says of an error number, in the language of the process.
  static String text(int errno) {
    try {
      MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
      return text.reinterpret(MAX_ERROR_TEXT).getString(0);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  private static long result(MemorySegment errno, long result) {
    return result == -1 ? -(int) ERRNO.get(errno, 0L) : result;
  }

  private static MethodHandle call(String name, MemoryLayout returned, MemoryLayout... parameters) {
    return LINKER.downcallHandle(
        symbol(name), FunctionDescriptor.of(returned, parameters), CAPTURED);
  }

  private static MemorySegment symbol(String name) {
    return LINKER.defaultLookup().findOrThrow(name);
  }

  /// A downcall throws nothing by itself: only wrong types or an error of the virtual machine.
  private static RuntimeException impossible(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("A foreign call failed before it was made", e);
  }
}

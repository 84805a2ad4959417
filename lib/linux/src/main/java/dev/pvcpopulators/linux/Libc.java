package dev.pvcpopulators.linux;

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

/// libc's wrappers of the system calls, with the kernel's convention for errors: a negative result
/// is the negated error number. `errno` is captured into a segment that the caller owns, so that a
/// call allocates nothing.
final class Libc {
  /// The layout of the captured `errno`, which a caller allocates once.
  static final StructLayout CAPTURE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final Linker LINKER = Linker.nativeLinker();
  private static final Linker.Option CAPTURED = Linker.Option.captureCallState("errno");

  private static final MethodHandle OPENAT =
      variadic("openat", 3, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle FCNTL = variadic("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT);
  private static final MethodHandle IOCTL = variadic("ioctl", 2, JAVA_INT, JAVA_LONG, ADDRESS);
  private static final MethodHandle CLOSE = intCall("close", JAVA_INT);
  private static final MethodHandle PREAD =
      longCall("pread", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle PWRITE =
      longCall("pwrite", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle LSEEK = longCall("lseek", JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle FTRUNCATE = intCall("ftruncate", JAVA_INT, JAVA_LONG);
  private static final MethodHandle FALLOCATE =
      intCall("fallocate", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle FSYNC = intCall("fsync", JAVA_INT);
  private static final MethodHandle FDATASYNC = intCall("fdatasync", JAVA_INT);
  private static final MethodHandle SYNC_FILE_RANGE =
      intCall("sync_file_range", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle POSIX_FADVISE =
      intCall("posix_fadvise", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle FLOCK = intCall("flock", JAVA_INT, JAVA_INT);
  private static final MethodHandle FCHMOD = intCall("fchmod", JAVA_INT, JAVA_INT);
  private static final MethodHandle FSTATFS = intCall("fstatfs", JAVA_INT, ADDRESS);
  private static final MethodHandle STATX =
      intCall("statx", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
  private static final MethodHandle FSETXATTR =
      intCall("fsetxattr", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
  private static final MethodHandle FGETXATTR =
      longCall("fgetxattr", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
  private static final MethodHandle FREMOVEXATTR = intCall("fremovexattr", JAVA_INT, ADDRESS);
  private static final MethodHandle UNLINKAT = intCall("unlinkat", JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle RENAMEAT2 =
      intCall("renameat2", JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
  private static final MethodHandle STRERROR =
      LINKER.downcallHandle(symbol("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

  private Libc() {}

  static int openat(MemorySegment errno, int directory, MemorySegment name, int flags, int mode) {
    try {
      return result(errno, (int) OPENAT.invokeExact(errno, directory, name, flags, mode));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fcntl(MemorySegment errno, int fd, int command, int argument) {
    try {
      return result(errno, (int) FCNTL.invokeExact(errno, fd, command, argument));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int ioctl(MemorySegment errno, int fd, long request, MemorySegment argument) {
    try {
      return result(errno, (int) IOCTL.invokeExact(errno, fd, request, argument));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int close(MemorySegment errno, int fd) {
    try {
      return result(errno, (int) CLOSE.invokeExact(errno, fd));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static long pread(MemorySegment errno, int fd, MemorySegment target, long length, long offset) {
    try {
      return result(errno, (long) PREAD.invokeExact(errno, fd, target, length, offset));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static long pwrite(MemorySegment errno, int fd, MemorySegment source, long length, long offset) {
    try {
      return result(errno, (long) PWRITE.invokeExact(errno, fd, source, length, offset));
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

  static int ftruncate(MemorySegment errno, int fd, long length) {
    try {
      return result(errno, (int) FTRUNCATE.invokeExact(errno, fd, length));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fallocate(MemorySegment errno, int fd, int mode, long offset, long length) {
    try {
      return result(errno, (int) FALLOCATE.invokeExact(errno, fd, mode, offset, length));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fsync(MemorySegment errno, int fd) {
    try {
      return result(errno, (int) FSYNC.invokeExact(errno, fd));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fdatasync(MemorySegment errno, int fd) {
    try {
      return result(errno, (int) FDATASYNC.invokeExact(errno, fd));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int syncFileRange(MemorySegment errno, int fd, long offset, long length, int flags) {
    try {
      return result(errno, (int) SYNC_FILE_RANGE.invokeExact(errno, fd, offset, length, flags));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /// Calls posix_fadvise(3), which returns its error number instead of setting `errno`.
  static int posixFadvise(MemorySegment errno, int fd, long offset, long length, int advice) {
    try {
      return -(int) POSIX_FADVISE.invokeExact(errno, fd, offset, length, advice);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int flock(MemorySegment errno, int fd, int operation) {
    try {
      return result(errno, (int) FLOCK.invokeExact(errno, fd, operation));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fchmod(MemorySegment errno, int fd, int mode) {
    try {
      return result(errno, (int) FCHMOD.invokeExact(errno, fd, mode));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fstatfs(MemorySegment errno, int fd, MemorySegment statfs) {
    try {
      return result(errno, (int) FSTATFS.invokeExact(errno, fd, statfs));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int statx(
      MemorySegment errno, int fd, MemorySegment name, int flags, int mask, MemorySegment statx) {
    try {
      return result(errno, (int) STATX.invokeExact(errno, fd, name, flags, mask, statx));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fsetxattr(MemorySegment errno, int fd, MemorySegment name, MemorySegment value) {
    try {
      return result(
          errno, (int) FSETXATTR.invokeExact(errno, fd, name, value, value.byteSize(), 0));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static long fgetxattr(MemorySegment errno, int fd, MemorySegment name, MemorySegment value) {
    try {
      return result(errno, (long) FGETXATTR.invokeExact(errno, fd, name, value, value.byteSize()));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int fremovexattr(MemorySegment errno, int fd, MemorySegment name) {
    try {
      return result(errno, (int) FREMOVEXATTR.invokeExact(errno, fd, name));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int unlinkat(MemorySegment errno, int directory, MemorySegment name) {
    try {
      return result(errno, (int) UNLINKAT.invokeExact(errno, directory, name, 0));
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  static int renameat2(
      MemorySegment errno, int directory, MemorySegment from, MemorySegment to, int flags) {
    try {
      return result(
          errno, (int) RENAMEAT2.invokeExact(errno, directory, from, directory, to, flags));
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

  private static int result(MemorySegment errno, int result) {
    return result == -1 ? -(int) ERRNO.get(errno, 0L) : result;
  }

  private static long result(MemorySegment errno, long result) {
    return result == -1 ? -(int) ERRNO.get(errno, 0L) : result;
  }

  private static MethodHandle intCall(String name, MemoryLayout... parameters) {
    return LINKER.downcallHandle(
        symbol(name), FunctionDescriptor.of(JAVA_INT, parameters), CAPTURED);
  }

  private static MethodHandle longCall(String name, MemoryLayout... parameters) {
    return LINKER.downcallHandle(
        symbol(name), FunctionDescriptor.of(JAVA_LONG, parameters), CAPTURED);
  }

  /// Returns a variadic function. Some machines pass variadic arguments differently, so the number
  /// of fixed ones must be given.
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

  /// Wraps an exception of a downcall, which throws only for wrong types or a virtual machine
  /// error.
  private static RuntimeException impossible(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("A foreign call failed before it was made", e);
  }
}

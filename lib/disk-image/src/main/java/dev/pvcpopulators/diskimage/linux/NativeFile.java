package dev.pvcpopulators.diskimage.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/// An open file or block device with its own descriptor. Offsets and lengths are bytes; every
/// failure is a [SystemCallException]. Interrupted calls are repeated, short ones continued.
///
/// Used by one thread at a time. Whoever opened it closes it.
public final class NativeFile implements AutoCloseable {
  private static final int AT_FDCWD = -100;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int FALLOC_KEEP_SIZE = 1;
  private static final int FALLOC_PUNCH_HOLE = 2;
  private static final int FALLOC_ZERO_RANGE = 0x10;
  private static final int SYNC_WAIT_BEFORE = 1;
  private static final int SYNC_WRITE = 2;
  private static final int FADVISE_DONTNEED = 4;
  private static final int LOCK_EXCLUSIVE_NONBLOCKING = 2 | 4;

  /// `_IOR(0x12, 114, size_t)`
  private static final long BLKGETSIZE64 = 0x80081272L;

  /// `_IOW(0x94, 13, struct file_clone_range)`
  private static final long FICLONERANGE = 0x4020940DL;

  /// 1,024 characters, whatever they are.
  private static final int MAX_ATTRIBUTE = 4096;

  private final int fd;
  private final String path;
  private final MemorySegment errno;
  private final MemorySegment argument;
  private boolean direct;
  private boolean open = true;

  NativeFile(int fd, String path, boolean direct) {
    this.fd = fd;
    this.path = path;
    this.direct = direct;
    Arena arena = Arena.ofAuto();
    this.errno = arena.allocate(Libc.CAPTURE);
    this.argument = arena.allocate(FileStatus.STRUCT_SIZE, Long.BYTES);
  }

  /// Opens a block device for direct I/O, alone: a device that is mounted, or that somebody else
  /// has claimed, is refused with [SystemCallException#busy].
  public static NativeFile openDevice(Path device) throws IOException {
    int flags = OpenFlags.RDWR | OpenFlags.EXCL | OpenFlags.DIRECT | OpenFlags.CLOEXEC;
    return open(device, flags, true);
  }

  /// Opens for reading through the page cache, following symbolic links.
  public static NativeFile openToRead(Path path) throws IOException {
    return open(path, OpenFlags.RDONLY | OpenFlags.CLOEXEC | OpenFlags.NONBLOCK, false);
  }

  private static NativeFile open(Path path, int flags, boolean direct) throws IOException {
    int fd = openAt(AT_FDCWD, path.toString(), flags, 0);
    if (fd < 0) {
      throw new SystemCallException("open", path.toString(), -fd);
    }
    return new NativeFile(fd, path.toString(), direct);
  }

  static int openAt(int directory, String name, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(Libc.CAPTURE);
      MemorySegment cName = arena.allocateFrom(name);
      int fd;
      do {
        fd = Libc.openat(errno, directory, cName, flags, mode);
      } while (fd == -Errno.EINTR);
      return fd;
    }
  }

  /// A name by which this process and those of its user can open the very same file again while it
  /// is open here, whatever has become of its path (proc_pid_fd(5)).
  public Path again() {
    return Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "fd", "" + fd);
  }

  /// Whether writes pass the page cache by; then offsets, lengths and addresses are to be multiples
  /// of 4 KiB.
  public boolean direct() {
    return direct;
  }

  /// Writes all of it. Where the file system refuses direct I/O after all, the file goes on with
  /// the page cache.
  ///
  /// @param source native memory
  public void write(long offset, MemorySegment source) throws IOException {
    long done = 0;
    long length = source.byteSize();
    while (done < length) {
      long n = Libc.pwrite(errno, fd, source.asSlice(done), length - done, offset + done);
      if (n == -Errno.EINVAL && direct) {
        useThePageCache();
      } else if (n != -Errno.EINTR) {
        done += check(n, "write");
      }
    }
  }

  /// Reads until the segment is full or the file ends.
  ///
  /// @param target native memory
  /// @return bytes read
  public long read(long offset, MemorySegment target) throws IOException {
    long done = 0;
    long length = target.byteSize();
    while (done < length) {
      long n = Libc.pread(errno, fd, target.asSlice(done), length - done, offset + done);
      if (n == 0) {
        break;
      }
      if (n == -Errno.EINVAL && direct) {
        useThePageCache();
      } else if (n != -Errno.EINTR) {
        done += check(n, "read");
      }
    }
    return done;
  }

  private void useThePageCache() throws IOException {
    int flags = (int) check(Libc.fcntl(errno, fd, F_GETFL, 0), "get the flags of");
    check(Libc.fcntl(errno, fd, F_SETFL, flags & ~OpenFlags.DIRECT), "set the flags of");
    direct = false;
  }

  public void truncate(long length) throws IOException {
    int result;
    do {
      result = Libc.ftruncate(errno, fd, length);
    } while (result == -Errno.EINTR);
    check(result, "set the length of");
  }

  /// Reserves space for a range, extending the file to its end.
  ///
  /// @return false where the file system cannot
  public boolean allocate(long offset, long length) throws IOException {
    return fallocate(0, offset, length, "allocate space for");
  }

  /// Makes a range read as zeros and gives its space back.
  ///
  /// @return false where the file system or device cannot
  public boolean punch(long offset, long length) throws IOException {
    return fallocate(FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, offset, length, "punch a hole into");
  }

  /// Makes a range read as zeros, its space stays allocated.
  ///
  /// @return false where the file system or device cannot
  public boolean zero(long offset, long length) throws IOException {
    return fallocate(FALLOC_ZERO_RANGE | FALLOC_KEEP_SIZE, offset, length, "zero a range of");
  }

  private boolean fallocate(int mode, long offset, long length, String action) throws IOException {
    int result;
    do {
      result = Libc.fallocate(errno, fd, mode, offset, length);
    } while (result == -Errno.EINTR);
    if (result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS) {
      return false;
    }
    check(result, action);
    return true;
  }

  /// Shares a range of another file of the same file system (`FICLONERANGE`).
  ///
  /// @return false where the file system cannot share these ranges
  public boolean cloneRange(NativeFile source, long sourceOffset, long length, long offset)
      throws IOException {
    argument.set(JAVA_LONG, 0, source.fd);
    argument.set(JAVA_LONG, 8, sourceOffset);
    argument.set(JAVA_LONG, 16, length);
    argument.set(JAVA_LONG, 24, offset);
    int result;
    do {
      result = Libc.ioctl(errno, fd, FICLONERANGE, argument);
    } while (result == -Errno.EINTR);
    switch (-result) {
      case Errno.EOPNOTSUPP, Errno.ENOTTY, Errno.EINVAL, Errno.EXDEV, Errno.ENOSYS -> {
        return false;
      }
      default -> check(result, "share a range with");
    }
    return true;
  }

  /// The first byte of data at or after the offset; empty where only holes follow. A file system
  /// without holes says that everything is data.
  public OptionalLong nextData(long offset) throws IOException {
    long found = Libc.lseek(errno, fd, offset, SEEK_DATA);
    if (found == -Errno.ENXIO) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(found == -Errno.EINVAL ? offset : check(found, "find data in"));
  }

  /// The first byte of a hole at or after the offset; the end of the file counts as one.
  public long nextHole(long offset) throws IOException {
    return check(Libc.lseek(errno, fd, offset, SEEK_HOLE), "find a hole in");
  }

  /// Waits until the data and what is needed to find it are on stable storage.
  public void syncData() throws IOException {
    int result;
    do {
      result = Libc.fdatasync(errno, fd);
    } while (result == -Errno.EINTR);
    check(result, "flush");
  }

  /// Waits until data and metadata are on stable storage.
  public void sync() throws IOException {
    int result;
    do {
      result = Libc.fsync(errno, fd);
    } while (result == -Errno.EINTR);
    check(result, "flush");
  }

  /// Waits for what the last call started, starts writing what became dirty since, and drops the
  /// pages that are clean. Called now and then, this bounds the page cache's share of the memory
  /// and the time of the final flush. Advice only: where the file system has no use for it, nothing
  /// happens, and [#sync] still reports any failed write.
  public void startWriteback() {
    if (Libc.syncFileRange(errno, fd, 0, 0, SYNC_WAIT_BEFORE | SYNC_WRITE) == 0) {
      Libc.posixFadvise(errno, fd, 0, 0, FADVISE_DONTNEED);
    }
  }

  /// Marks the file as in use, until it is closed or the process ends in whatever way.
  ///
  /// @return false where another descriptor has marked it
  public boolean lock() throws IOException {
    int result;
    do {
      result = Libc.flock(errno, fd, LOCK_EXCLUSIVE_NONBLOCKING);
    } while (result == -Errno.EINTR);
    if (result == -Errno.EAGAIN) {
      return false;
    }
    // A file system without locks cannot have anybody's.
    if (result != -Errno.ENOLCK && result != -Errno.EOPNOTSUPP) {
      check(result, "lock");
    }
    return true;
  }

  /// Sets the permissions.
  ///
  /// @param mode permission bits
  public void setMode(int mode) throws IOException {
    check(Libc.fchmod(errno, fd, mode), "set the mode of");
  }

  public FileStatus status() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment none = arena.allocateFrom("");
      int result = Libc.statx(errno, fd, none, AT_EMPTY_PATH, FileStatus.WANTED, argument);
      check(result, "get the status of");
      return FileStatus.read(argument);
    }
  }

  /// Length in bytes of a block device.
  public long deviceSize() throws IOException {
    check(Libc.ioctl(errno, fd, BLKGETSIZE64, argument), "get the size of");
    return argument.get(JAVA_LONG, 0);
  }

  /// Sets an extended attribute.
  ///
  /// @return false where the file system has none, or no room for this one
  public boolean setAttribute(String name, String value) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = MemorySegment.ofArray(value.getBytes(StandardCharsets.UTF_8));
      MemorySegment copy = arena.allocate(Math.max(bytes.byteSize(), 1)).copyFrom(bytes);
      int result =
          Libc.fsetxattr(errno, fd, arena.allocateFrom(name), copy.asSlice(0, bytes.byteSize()));
      switch (-result) {
        case Errno.EOPNOTSUPP, Errno.ENOSPC, Errno.EDQUOT, Errno.E2BIG, Errno.ERANGE -> {
          return false;
        }
        default -> check(result, "set an extended attribute of");
      }
      return true;
    }
  }

  /// Removes an extended attribute, if it is there.
  public void removeAttribute(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      int result = Libc.fremovexattr(errno, fd, arena.allocateFrom(name));
      if (result != -Errno.ENODATA && result != -Errno.EOPNOTSUPP) {
        check(result, "remove an extended attribute of");
      }
    }
  }

  /// Reads an extended attribute of at most 4 KiB; a longer one counts as none.
  public Optional<String> attribute(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(MAX_ATTRIBUTE);
      long length = Libc.fgetxattr(errno, fd, arena.allocateFrom(name), value);
      if (length == -Errno.ENODATA || length == -Errno.EOPNOTSUPP || length == -Errno.ERANGE) {
        return Optional.empty();
      }
      check(length, "read an extended attribute of");
      byte[] bytes = value.asSlice(0, length).toArray(JAVA_BYTE);
      return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  private long check(long result, String action) throws SystemCallException {
    if (result < 0) {
      throw new SystemCallException(action, path, Math.toIntExact(-result));
    }
    return result;
  }

  @Override
  public void close() throws IOException {
    if (open) {
      open = false;
      // Not repeated: after EINTR the descriptor is gone as well, on Linux.
      int result = Libc.close(errno, fd);
      if (result != -Errno.EINTR) {
        check(result, "close");
      }
    }
  }

  static {
    // The structures above are laid out for 64-bit machines.
    if (ADDRESS.byteSize() != 2L * JAVA_INT.byteSize()) {
      throw new ExceptionInInitializerError("A 64-bit machine is needed");
    }
  }
}

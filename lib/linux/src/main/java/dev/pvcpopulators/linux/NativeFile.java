package dev.pvcpopulators.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// An open file or block device with its own descriptor. It offers functions that a
/// [java.nio.channels.FileChannel] does not offer: holes, direct I/O that falls back to the page
/// cache, locks that belong to the open file, error numbers. Offsets and lengths are bytes; every
/// failure is a [SystemCallException], or a [ClosedChannelException] after [#close]. If a signal
/// interrupts a system call other than close(2), the call is repeated. Short transfers are
/// continued.
///
/// Safe for use by several threads. The code that opened the file closes it.
public final class NativeFile implements Closeable {
  private static final int AT_FDCWD = -100;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int SEEK_END = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int FALLOC_KEEP_SIZE = 1;
  private static final int FALLOC_PUNCH_HOLE = 2;
  private static final int FALLOC_ZERO_RANGE = 0x10;
  private static final int SYNC_WAIT_BEFORE = 1;
  private static final int SYNC_WRITE = 2;
  private static final int FADVISE_DONTNEED = 4;
  private static final int LOCK_SHARED = 1;
  private static final int LOCK_EXCLUSIVE = 2;
  private static final int LOCK_NONBLOCKING = 4;

  /// `_IOW(0x94, 13, struct file_clone_range)`
  private static final long FICLONERANGE = 0x4020940DL;

  private static final int CLONE_RANGE_SIZE = 32;

  /// The maximum length in bytes of an extended attribute's value that can be read: enough for
  /// 1,024 characters in UTF-8.
  private static final int MAX_ATTRIBUTE = 4096;

  /// Maximum number of bytes of a buffer that are copied to native memory at once.
  private static final int COPY_STEP = 1 << 16;

  final int fd;
  private final String path;

  /// A system call holds the read lock, and [#close] holds the write lock. So no call uses a
  /// descriptor number that already belongs to another file.
  private final ReadWriteLock life = new ReentrantReadWriteLock();

  private volatile boolean direct;

  /// The negated error number of the last failed call of [#startWriteback]; 0 if no call failed.
  private volatile long lost;

  private boolean open = true;

  NativeFile(int fd, String path, boolean direct) {
    this.fd = fd;
    this.path = path;
    this.direct = direct;
  }

  /// How a symbolic link at the end of a path is handled.
  public enum Links {
    /// The link is followed, because the operator of the program chose the name.
    FOLLOWED,
    /// The link is refused, because the program made a file with this name, and another user may
    /// have replaced the file with the link.
    REFUSED
  }

  /// Opens a block device for direct I/O, exclusively: a device that is mounted or otherwise
  /// claimed is refused with [SystemCallException#busy].
  public static NativeFile openDevice(Path device) throws IOException {
    int flags = OpenFlags.RDWR | OpenFlags.EXCL | OpenFlags.DIRECT | OpenFlags.CLOEXEC;
    return open(device, flags, true);
  }

  /// Opens a file for reading through the page cache. If the file is a named pipe, opening does not
  /// wait for a writer.
  public static NativeFile openToRead(Path path, Links links) throws IOException {
    return open(path, OpenFlags.RDONLY | shared(links), false);
  }

  /// Opens an existing file or block device for reading and writing through the page cache. A block
  /// device that is mounted or otherwise claimed is refused with [SystemCallException#busy].
  public static NativeFile openToWrite(Path path, Links links) throws IOException {
    // Without O_CREAT, O_EXCL has an effect for block devices only (open(2)).
    return open(path, OpenFlags.RDWR | OpenFlags.EXCL | shared(links), false);
  }

  private static int shared(Links links) {
    int follow =
        switch (links) {
          case FOLLOWED -> 0;
          case REFUSED -> OpenFlags.NOFOLLOW;
        };
    return follow | OpenFlags.CLOEXEC | OpenFlags.NONBLOCK;
  }

  static NativeFile open(Path path, int flags, boolean direct) throws IOException {
    int fd = openAt(AT_FDCWD, path.toString(), flags, 0);
    if (fd < 0) {
      throw new SystemCallException("open", path.toString(), -fd);
    }
    return new NativeFile(fd, path.toString(), direct);
  }

  static int openAt(int directory, String name, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cName = arena.allocateFrom(name);
      return (int) Libc.call(Libc.OPENAT.of(directory, cName.address(), flags, mode));
    }
  }

  /// Returns a path by which this process, and other processes of the same user, can open the file
  /// again (proc_pid_fd(5)). The path is valid while this file is open, even if the file was
  /// renamed or removed.
  public Path again() {
    return Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "fd", "" + fd);
  }

  /// Returns whether reads and writes bypass the page cache; if so, offsets, lengths and addresses
  /// must be multiples of 4 KiB. After a direct read or write has failed with EINVAL, all transfers
  /// use the page cache.
  public boolean direct() {
    return direct;
  }

  /// Writes all bytes. If a direct write fails with EINVAL, this and all later transfers use the
  /// page cache.
  ///
  /// @param source native memory
  public void write(long offset, MemorySegment source) throws IOException {
    long done = 0;
    long length = source.byteSize();
    while (done < length) {
      MemorySegment rest = source.asSlice(done);
      long position = offset + done;
      long n = attempt(Libc.pwrite(fd, rest, position));
      if (Errno.EINVAL.is(n) && direct) {
        useThePageCache();
      } else {
        done += check(n, "write to");
      }
    }
  }

  /// Writes the buffer from its position to its limit; the buffer may be native or on the heap.
  /// Must not be used for direct I/O, because the copy in native memory is not aligned.
  public void write(long offset, ByteBuffer source) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(Math.clamp(source.remaining(), 1, COPY_STEP));
      long position = offset;
      while (source.hasRemaining()) {
        int step = Math.min(source.remaining(), COPY_STEP);
        MemorySegment bytes = copy.asSlice(0, step);
        bytes.copyFrom(MemorySegment.ofBuffer(source.slice(source.position(), step)));
        write(position, bytes);
        source.position(source.position() + step);
        position += step;
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
      MemorySegment rest = target.asSlice(done);
      long position = offset + done;
      long n = attempt(Libc.pread(fd, rest, position));
      if (n == 0) {
        break;
      }
      if (Errno.EINVAL.is(n) && direct) {
        useThePageCache();
      } else {
        done += check(n, "read");
      }
    }
    return done;
  }

  private void useThePageCache() throws IOException {
    int flags = (int) call("get the flags of", Libc.FCNTL.of(fd, F_GETFL, 0));
    int cached = flags & ~OpenFlags.DIRECT;
    call("set the flags of", Libc.FCNTL.of(fd, F_SETFL, cached));
    direct = false;
  }

  public void truncate(long length) throws IOException {
    call("set the length of", Libc.FTRUNCATE.of(fd, length));
  }

  /// Reserves space for a range, and extends a shorter file to the end of the range.
  ///
  /// @return false if the file system does not support the reservation of space
  public boolean allocate(long offset, long length) throws IOException {
    return fallocate(0, offset, length, "allocate space for");
  }

  /// Makes a range read as zeros and frees its space.
  ///
  /// @return false if the file system or device does not support that
  public boolean punch(long offset, long length) throws IOException {
    return fallocate(FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, offset, length, "punch a hole into");
  }

  /// Makes a range read as zeros, and allocates space for the whole range.
  ///
  /// @return false if the file system or device does not support that
  public boolean zero(long offset, long length) throws IOException {
    return fallocate(FALLOC_ZERO_RANGE | FALLOC_KEEP_SIZE, offset, length, "zero a range of");
  }

  private boolean fallocate(int mode, long offset, long length, String action) throws IOException {
    long result = attempt(Libc.FALLOCATE.of(fd, mode, offset, length));
    return succeeded(result, action, Errno.EOPNOTSUPP, Errno.ENOSYS);
  }

  /// Replaces a range of this file by a range of another file of the same file system; both files
  /// then share the blocks (`FICLONERANGE`).
  ///
  /// @param source must not be closed during the call
  /// @return false if the file system cannot share these ranges
  public boolean cloneRange(NativeFile source, long sourceOffset, long length, long offset)
      throws IOException {
    long result;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(CLONE_RANGE_SIZE, Long.BYTES);
      range.set(JAVA_LONG, 0, source.fd);
      range.set(JAVA_LONG, 8, sourceOffset);
      range.set(JAVA_LONG, 16, length);
      range.set(JAVA_LONG, 24, offset);
      result = attempt(Libc.IOCTL.of(fd, FICLONERANGE, range.address()));
    }
    return succeeded(
        result,
        "share a range with",
        Errno.EOPNOTSUPP,
        Errno.ENOTTY,
        Errno.EINVAL,
        Errno.EXDEV,
        Errno.ENOSYS);
  }

  /// Returns the length of the file or block device.
  public long length() throws IOException {
    return call("get the length of", Libc.LSEEK.of(fd, 0L, SEEK_END));
  }

  /// Returns the offset of the first byte of data at or after an offset; empty if only a hole or
  /// the end of the file follows. If the file system or device does not support this query, the
  /// result is `offset`, even at the end of the file.
  public OptionalLong nextData(long offset) throws IOException {
    long found = attempt(Libc.LSEEK.of(fd, offset, SEEK_DATA));
    if (Errno.ENXIO.is(found)) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(Errno.EINVAL.is(found) ? offset : check(found, "find data in"));
  }

  /// Returns the offset of the first byte of a hole at or after an offset; the end of the file
  /// counts as a hole. If the file system or device does not support this query, the result is the
  /// length of the file.
  ///
  /// @param offset must be before the end of the file
  public long nextHole(long offset) throws IOException {
    long found = attempt(Libc.LSEEK.of(fd, offset, SEEK_HOLE));
    return Errno.EINVAL.is(found) ? length() : check(found, "find a hole in");
  }

  /// Waits until the data, and the metadata that are needed to read the data, are on stable
  /// storage. Fails if an earlier call of [#startWriteback] failed.
  public void syncData() throws IOException {
    call("flush", Libc.FDATASYNC.of(fd));
    check(lost, "flush");
  }

  /// Waits until data and metadata are on stable storage. Fails if an earlier call of
  /// [#startWriteback] failed.
  public void sync() throws IOException {
    call("flush", Libc.FSYNC.of(fd));
    check(lost, "flush");
  }

  /// Waits for the writeback that the previous call of this method started, starts the writeback of
  /// the pages that are dirty now, and drops clean pages. Regular calls limit the duration of the
  /// final flush, and the memory that the page cache takes. Has no effect if sync_file_range(2) is
  /// not supported or not permitted.
  ///
  /// @throws SystemCallException if the kernel could not store bytes that this or another program
  ///   had written to the file. The kernel reports this loss only once to each descriptor, here or
  ///   in a flush. If the kernel reports the loss here, each later [#sync] and [#syncData] fails,
  ///   too
  public void startWriteback() throws IOException {
    int flags = SYNC_WAIT_BEFORE | SYNC_WRITE;
    long result = attempt(Libc.SYNC_FILE_RANGE.of(fd, 0L, 0L, flags));
    // A filter of system calls (seccomp) can cause EPERM.
    if (Errno.any(
        result, Errno.ENOSYS, Errno.EPERM, Errno.ESPIPE, Errno.EINVAL, Errno.EOPNOTSUPP)) {
      return;
    }
    if (result < 0) {
      lost = result;
    }
    check(result, "write back");
    attempt(Libc.POSIX_FADVISE.of(fd, 0L, 0L, FADVISE_DONTNEED));
  }

  /// Acquires the file's lock (flock(2)) exclusively, without waiting. The lock is held until
  /// [#close] or until the process ends in any way. On a file system without locks, this lock has
  /// no effect.
  ///
  /// `FileChannel` uses a lock of fcntl(2), which belongs to the process. The lock of flock(2)
  /// belongs to the open file: it also excludes other descriptors by which this process has opened
  /// the same file, and it remains when one of these descriptors is closed.
  ///
  /// @return false if another descriptor holds the lock
  public boolean lock() throws IOException {
    return lock(LOCK_EXCLUSIVE);
  }

  /// Acquires a shared lock of the file, without waiting. [#lock] describes all other properties.
  ///
  /// @return false if another descriptor holds the lock exclusively
  public boolean lockShared() throws IOException {
    return lock(LOCK_SHARED);
  }

  private boolean lock(int kind) throws IOException {
    long result = attempt(Libc.FLOCK.of(fd, kind | LOCK_NONBLOCKING));
    if (Errno.EAGAIN.is(result)) {
      return false;
    }
    // On a file system without locks, no other process can hold a lock.
    succeeded(result, "lock", Errno.ENOLCK, Errno.EOPNOTSUPP, Errno.ENOSYS);
    return true;
  }

  /// Sets the permissions.
  ///
  /// @param mode permission bits
  public void setMode(int mode) throws IOException {
    call("set the mode of", Libc.FCHMOD.of(fd, mode));
  }

  public FileStatus status() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom("");
      MemorySegment statx = arena.allocate(FileStatus.STRUCT_SIZE, Long.BYTES);
      call(
          "get the status of",
          Libc.STATX.of(fd, name.address(), AT_EMPTY_PATH, FileStatus.WANTED, statx.address()));
      return FileStatus.read(statx);
    }
  }

  /// Sets an extended attribute.
  ///
  /// @return false if the file system does not support extended attributes, or this attribute does
  ///   not fit
  public boolean setAttribute(String name, String value) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cName = arena.allocateFrom(name);
      MemorySegment text = arena.allocateFrom(value);
      long length = text.byteSize() - 1;
      return succeeded(
          attempt(Libc.FSETXATTR.of(fd, cName.address(), text.address(), length, 0)),
          "set an extended attribute of",
          Errno.EOPNOTSUPP,
          Errno.ENOSPC,
          Errno.EDQUOT,
          Errno.E2BIG,
          Errno.ERANGE);
    }
  }

  /// Removes an extended attribute, if it exists.
  public void removeAttribute(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cName = arena.allocateFrom(name);
      long result = attempt(Libc.FREMOVEXATTR.of(fd, cName.address()));
      succeeded(result, "remove an extended attribute of", Errno.ENODATA, Errno.EOPNOTSUPP);
    }
  }

  /// Returns the value of an extended attribute, at most 4 KiB; empty if the attribute does not
  /// exist or is longer, or if the file system does not support extended attributes.
  public Optional<String> attribute(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(MAX_ATTRIBUTE);
      MemorySegment cName = arena.allocateFrom(name);
      long length =
          attempt(Libc.FGETXATTR.of(fd, cName.address(), value.address(), value.byteSize()));
      if (Errno.any(length, Errno.ENODATA, Errno.EOPNOTSUPP, Errno.ERANGE)) {
        return Optional.empty();
      }
      check(length, "read an extended attribute of");
      byte[] bytes = value.asSlice(0, length).toArray(JAVA_BYTE);
      return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  long call(String action, Libc.Call call) throws IOException {
    return check(attempt(call), action);
  }

  private long attempt(Libc.Call call) throws ClosedChannelException {
    life.readLock().lock();
    try {
      if (!open) {
        throw new ClosedChannelException();
      }
      return Libc.call(call);
    } finally {
      life.readLock().unlock();
    }
  }

  /// Returns whether a call succeeded; false if it failed with one of the expected errors.
  ///
  /// @throws SystemCallException if the call failed with another error
  private boolean succeeded(long result, String action, Errno... expected)
      throws SystemCallException {
    if (Errno.any(result, expected)) {
      return false;
    }
    check(result, action);
    return true;
  }

  private long check(long result, String action) throws SystemCallException {
    if (result < 0) {
      throw new SystemCallException(action, path, Math.toIntExact(-result));
    }
    return result;
  }

  @Override
  public void close() throws IOException {
    life.writeLock().lock();
    try {
      if (open) {
        open = false;
        // The call is not repeated, because Linux closes the descriptor even if the result is
        // EINTR.
        long result = Libc.callOnce(Libc.CLOSE.of(fd));
        if (!Errno.EINTR.is(result)) {
          check(result, "close");
        }
      }
    } finally {
      life.writeLock().unlock();
    }
  }

  static {
    // The arguments and structures of the system calls have the layout of 64-bit machines.
    if (ADDRESS.byteSize() != 2L * JAVA_INT.byteSize()) {
      throw new ExceptionInInitializerError("A 64-bit machine is needed");
    }
  }
}

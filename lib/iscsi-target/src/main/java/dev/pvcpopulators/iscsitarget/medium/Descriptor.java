package dev.pvcpopulators.iscsitarget.medium;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// An open file or block device by its descriptor, for what a [java.nio.channels.FileChannel] does
/// not offer: holes, locks that belong to the open file, error numbers. Offsets and lengths are
/// bytes. For several threads at once; whoever opened it closes it.
final class Descriptor implements AutoCloseable {
  /// Bytes that [#write] copies at once.
  private static final int WRITE_STEP = 1 << 16;

  private final int fd;
  private final Path path;

  /// Held for writing by [#close], so that no call goes to a number that means another file by
  /// then.
  private final ReadWriteLock life = new ReentrantReadWriteLock();

  private boolean open = true;

  private Descriptor(int fd, Path path) {
    this.fd = fd;
    this.path = path;
  }

  /// What is done with a symbolic link.
  enum Links {
    /// The name comes from who runs this.
    FOLLOWED,
    /// The name is one of our own, in a directory that others may write to.
    REFUSED
  }

  /// Opens what exists; does not wait for the other end of a pipe.
  ///
  /// @param links whether a symbolic link is followed, or refused
  /// @param writable for reading and writing, and not at all where it is a block device that is
  ///   mounted or otherwise claimed
  static Descriptor open(Path path, boolean writable, Links links) throws IOException {
    // O_EXCL without O_CREAT has a meaning for block devices only (open(2)).
    int access = writable ? SystemCalls.O_RDWR | SystemCalls.O_EXCL : SystemCalls.O_RDONLY;
    int follow = links == Links.FOLLOWED ? 0 : SystemCalls.O_NOFOLLOW;
    int flags = access | follow | SystemCalls.O_CLOEXEC | SystemCalls.O_NONBLOCK;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(SystemCalls.CAPTURE);
      MemorySegment name = arena.allocateFrom(path.toString());
      int fd;
      do {
        fd = SystemCalls.open(errno, name, flags);
      } while (fd == -SystemCalls.EINTR);
      if (fd < 0) {
        throw failure("open", path, -fd);
      }
      return new Descriptor(fd, path);
    }
  }

  /// A name by which this process can open the very same file again, whatever has become of the
  /// path meanwhile.
  Path again() {
    return Path.of("/proc/self/fd/" + fd);
  }

  /// Length in bytes, of a block device as well.
  long length() throws IOException {
    return call(
        "get the length of", errno -> SystemCalls.lseek(errno, fd, 0, SystemCalls.SEEK_END));
  }

  /// Marks the file as in use until this is closed or the process ends in whatever way: exclusively
  /// where it is to be written, else together with other readers. Unlike a lock of fcntl(2), which
  /// `FileChannel` gives, it holds against this very process as well, and does not go when some
  /// other descriptor of the file is closed.
  ///
  /// @return false where another has marked it in a way that excludes this
  boolean lock(boolean exclusive) throws IOException {
    int kind = exclusive ? SystemCalls.LOCK_EX : SystemCalls.LOCK_SH;
    long result = attempt(errno -> SystemCalls.flock(errno, fd, kind | SystemCalls.LOCK_NB));
    if (result == -SystemCalls.EAGAIN) {
      return false;
    }
    // A file system without locks cannot have anybody's.
    if (result < 0 && result != -SystemCalls.ENOLCK && !unsupported(result)) {
      throw failure("lock", path, (int) -result);
    }
    return true;
  }

  /// Makes a range read as zeros; its space stays, or is allocated.
  ///
  /// @return false where the file system or device cannot
  boolean zero(long offset, long length) throws IOException {
    return allocate(SystemCalls.FALLOC_FL_ZERO_RANGE, offset, length);
  }

  /// Makes a range read as zeros and gives its space back.
  ///
  /// @return false where the file system or device cannot
  boolean punch(long offset, long length) throws IOException {
    return allocate(SystemCalls.FALLOC_FL_PUNCH_HOLE, offset, length);
  }

  private boolean allocate(int mode, long offset, long length) throws IOException {
    int flags = mode | SystemCalls.FALLOC_FL_KEEP_SIZE;
    long result = attempt(errno -> SystemCalls.fallocate(errno, fd, flags, offset, length));
    if (unsupported(result)) {
      return false;
    }
    if (result < 0) {
      throw failure("zero a range of", path, (int) -result);
    }
    return true;
  }

  /// The first byte of data at or after an offset below the end.
  ///
  /// @return -1 where only a hole follows; the offset itself where the file system or device knows
  ///   of no holes
  long nextData(long offset) throws IOException {
    long found = attempt(errno -> SystemCalls.lseek(errno, fd, offset, SystemCalls.SEEK_DATA));
    if (found == -SystemCalls.ENXIO) {
      return -1;
    }
    if (found == -SystemCalls.EINVAL) {
      return offset;
    }
    if (found < 0) {
      throw failure("find data in", path, (int) -found);
    }
    return found;
  }

  /// The first byte of a hole at or after an offset below the end; the end itself counts as one.
  ///
  /// @return -1 where the file system or device knows of no holes
  long nextHole(long offset) throws IOException {
    long found = attempt(errno -> SystemCalls.lseek(errno, fd, offset, SystemCalls.SEEK_HOLE));
    if (found == -SystemCalls.EINVAL) {
      return -1;
    }
    if (found < 0) {
      throw failure("find a hole in", path, (int) -found);
    }
    return found;
  }

  /// Writes the buffer from its position to its limit; slower than a channel, but it knows why it
  /// failed.
  ///
  /// @throws MediumFullException where no space or quota is left
  void write(long offset, ByteBuffer from) throws IOException {
    long at = offset;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(WRITE_STEP);
      while (from.hasRemaining()) {
        int step = Math.min(from.remaining(), WRITE_STEP);
        MemorySegment bytes = copy.asSlice(0, step);
        bytes.copyFrom(MemorySegment.ofBuffer(from.slice(from.position(), step)));
        long position = at;
        long written = call("write to", errno -> SystemCalls.pwrite(errno, fd, bytes, position));
        from.position(from.position() + (int) written);
        at += written;
      }
    }
  }

  @Override
  public void close() throws IOException {
    life.writeLock().lock();
    try (Arena arena = Arena.ofConfined()) {
      if (open) {
        open = false;
        // Not repeated after EINTR: on Linux the descriptor is gone then as well.
        int result = SystemCalls.close(arena.allocate(SystemCalls.CAPTURE), fd);
        if (result < 0 && result != -SystemCalls.EINTR) {
          throw failure("close", path, -result);
        }
      }
    } finally {
      life.writeLock().unlock();
    }
  }

  /// A system call.
  @FunctionalInterface
  private interface Call {
    long make(MemorySegment errno);
  }

  private long call(String action, Call call) throws IOException {
    long result = attempt(call);
    if (result < 0) {
      throw failure(action, path, (int) -result);
    }
    return result;
  }

  private long attempt(Call call) throws IOException {
    life.readLock().lock();
    try (Arena arena = Arena.ofConfined()) {
      if (!open) {
        throw new ClosedChannelException();
      }
      MemorySegment errno = arena.allocate(SystemCalls.CAPTURE);
      long result;
      do {
        result = call.make(errno);
      } while (result == -SystemCalls.EINTR);
      return result;
    } finally {
      life.readLock().unlock();
    }
  }

  private static boolean unsupported(long result) {
    return result == -SystemCalls.EOPNOTSUPP || result == -SystemCalls.ENOSYS;
  }

  private static IOException failure(String action, Path path, int errno) {
    String message =
        "Cannot %s %s: %s (error %d)".formatted(action, path, SystemCalls.text(errno), errno);
    return errno == SystemCalls.ENOSPC || errno == SystemCalls.EDQUOT
        ? new MediumFullException(message, null)
        : new IOException(message);
  }
}

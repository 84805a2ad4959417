package dev.pvcpopulators.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/// An open directory. Callers must pass single names, which contain no `/` and are not `..`; the
/// methods do not check the names. The methods follow no symbolic link in the directory. So with
/// single names, no file outside the directory is accessible. Only one thread at a time may use a
/// directory. The code that opened a directory closes it.
public final class Directory implements AutoCloseable {
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int RENAME_NOREPLACE = 1;
  private static final int PRIVATE_MODE = 0600;

  private final Path path;
  private final NativeFile self;

  private Directory(Path path, NativeFile self) {
    this.path = path;
    this.self = self;
  }

  public static Directory open(Path path) throws IOException {
    int flags = OpenFlags.RDONLY | OpenFlags.DIRECTORY | OpenFlags.CLOEXEC;
    return new Directory(path, NativeFile.open(path, flags, false));
  }

  /// Creates a file, which only its owner can read and write. Fails if the file exists.
  ///
  /// @param direct whether to bypass the page cache, if the file system supports that
  public NativeFile create(String name, boolean direct) throws IOException {
    int flags =
        OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL | OpenFlags.NOFOLLOW | OpenFlags.CLOEXEC;
    if (direct) {
      int created = NativeFile.openAt(self.fd, name, flags | OpenFlags.DIRECT, PRIVATE_MODE);
      if (!Errno.EINVAL.is(created)) {
        return opened(created, "create", name, true);
      }
      // Some file systems refuse O_DIRECT only after they have created the file.
      removeIfPresent(name);
    }
    return opened(NativeFile.openAt(self.fd, name, flags, PRIVATE_MODE), "create", name, false);
  }

  /// Creates a file without a name. The file is deleted when its descriptor is closed.
  ///
  /// @param temporary a name that does not exist yet. If the attempt to create a file without a
  ///   name fails, the file has this name for a moment. Messages always use this name
  /// @param direct whether to bypass the page cache, if the file system supports that
  public NativeFile createUnnamed(String temporary, boolean direct) throws IOException {
    int flags = OpenFlags.RDWR | OpenFlags.TMPFILE | OpenFlags.CLOEXEC;
    int created =
        NativeFile.openAt(self.fd, ".", direct ? flags | OpenFlags.DIRECT : flags, PRIVATE_MODE);
    if (created >= 0) {
      return opened(created, "create", temporary, direct);
    }
    NativeFile named = create(temporary, direct);
    try {
      removeIfPresent(temporary);
    } catch (IOException e) {
      named.close();
      throw e;
    }
    return named;
  }

  /// Opens an existing file for reading.
  public NativeFile openToRead(String name) throws IOException {
    int flags = OpenFlags.RDONLY | OpenFlags.NOFOLLOW | OpenFlags.NONBLOCK | OpenFlags.CLOEXEC;
    return opened(NativeFile.openAt(self.fd, name, flags, 0), "open", name, false);
  }

  /// Opens an existing file for reading and writing.
  public NativeFile openToWrite(String name) throws IOException {
    int flags = OpenFlags.RDWR | OpenFlags.NOFOLLOW | OpenFlags.CLOEXEC;
    return opened(NativeFile.openAt(self.fd, name, flags, 0), "open", name, false);
  }

  private NativeFile opened(int opened, String action, String name, boolean direct)
      throws SystemCallException {
    if (opened < 0) {
      throw failure(action, name, -opened);
    }
    return new NativeFile(opened, path.resolve(name).toString(), direct);
  }

  /// Returns the status of a file, without following a symbolic link; empty if the name does not
  /// exist.
  public Optional<FileStatus> status(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statx = arena.allocate(FileStatus.STRUCT_SIZE, Long.BYTES);
      MemorySegment cName = arena.allocateFrom(name);
      int flags = AT_SYMLINK_NOFOLLOW;
      long result =
          Libc.callOnce(
              Libc.STATX.of(self.fd, cName.address(), flags, FileStatus.WANTED, statx.address()));
      if (Errno.ENOENT.is(result)) {
        return Optional.empty();
      }
      if (result < 0) {
        throw failure("get the status of", name, -result);
      }
      return Optional.of(FileStatus.read(statx));
    }
  }

  /// Removes a file or symbolic link; fails for a directory.
  ///
  /// @return false if the name did not exist
  public boolean removeIfPresent(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cName = arena.allocateFrom(name);
      long result = Libc.callOnce(Libc.UNLINKAT.of(self.fd, cName.address(), 0));
      if (result < 0 && !Errno.ENOENT.is(result)) {
        throw failure("remove", name, -result);
      }
      return result == 0;
    }
  }

  /// Renames a file in this directory, atomically. If `replace` is false, and the file system
  /// cannot check for an existing file and rename in one step (NFS), a separate check precedes the
  /// rename.
  ///
  /// @param replace whether to replace a file that has the new name already; if false, such a file
  ///   causes an exception for which [SystemCallException#alreadyExists] returns true
  public void rename(String from, String to, boolean replace) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cFrom = arena.allocateFrom(from);
      MemorySegment cTo = arena.allocateFrom(to);
      long result = rename(cFrom, cTo, replace ? 0 : RENAME_NOREPLACE);
      if (Errno.EINVAL.is(result) && !replace) {
        // The file system does not support the flag (NFS); the only alternative is to check for an
        // existing file first.
        result = status(to).isPresent() ? -Errno.EEXIST.number() : rename(cFrom, cTo, 0);
      }
      if (result < 0) {
        throw failure("rename to " + to, from, -result);
      }
    }
  }

  private long rename(MemorySegment from, MemorySegment to, int flags) {
    return Libc.callOnce(Libc.RENAMEAT2.of(self.fd, from.address(), self.fd, to.address(), flags));
  }

  public FileSystemStatus fileSystem() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statfs = arena.allocate(FileSystemStatus.STRUCT_SIZE, Long.BYTES);
      self.call("get the free space of", Libc.FSTATFS.of(self.fd, statfs.address()));
      return FileSystemStatus.read(statfs);
    }
  }

  /// Waits until all changes of names (creations, renames, removals) are on stable storage.
  public void sync() throws IOException {
    self.sync();
  }

  private SystemCallException failure(String action, String name, long error) {
    return new SystemCallException(action, path.resolve(name).toString(), Math.toIntExact(error));
  }

  @Override
  public void close() throws IOException {
    self.close();
  }
}

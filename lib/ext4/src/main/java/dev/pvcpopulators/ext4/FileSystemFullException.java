package dev.pvcpopulators.ext4;

import java.io.IOException;

/// The file system has not enough blocks or inodes.
public final class FileSystemFullException extends IOException {
  private static final long serialVersionUID = 1;

  private final long required;
  private final long size;

  /// Says what ran out.
  ///
  /// @param what ran out, and for which entry
  /// @param required bytes that the file system would have to have at least, for everything so far
  ///   and this entry
  /// @param size bytes that it has
  public FileSystemFullException(String what, long required, long size) {
    super(what);
    this.required = required;
    this.size = size;
  }

  /// The same, saying of which entry it is.
  FileSystemFullException of(EntryPath path) {
    FileSystemFullException named =
        new FileSystemFullException(path + ": " + getMessage(), required, size);
    named.initCause(this);
    return named;
  }

  /// Bytes that the file system would have to have at least, for everything so far and this entry.
  public long required() {
    return required;
  }

  /// Bytes that it has.
  public long size() {
    return size;
  }
}

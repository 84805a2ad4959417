package dev.pvcpopulators.ext4;

import java.io.IOException;

/// The file system has too few blocks or inodes.
public final class FileSystemFullException extends IOException {
  private static final long serialVersionUID = 1;

  private final long required;
  private final long size;

  /// Creates an exception that names the exhausted resource.
  ///
  /// @param what the exhausted resource, and the entry that needed it
  /// @param required the minimum size in bytes that the file system needs for all entries so far
  ///   and this one
  /// @param size the size of the file system in bytes
  public FileSystemFullException(String what, long required, long size) {
    super(what);
    this.required = required;
    this.size = size;
  }

  /// Returns the same exception with the entry named.
  FileSystemFullException of(EntryPath path) {
    FileSystemFullException named =
        new FileSystemFullException(path + ": " + getMessage(), required, size);
    named.initCause(this);
    return named;
  }

  /// Returns the minimum size in bytes that the file system needs for all entries so far and this
  /// one.
  public long required() {
    return required;
  }

  /// Returns the size of the file system in bytes.
  public long size() {
    return size;
  }
}

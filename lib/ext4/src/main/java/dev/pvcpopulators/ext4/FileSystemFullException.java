package dev.pvcpopulators.ext4;

import java.io.IOException;

/// The file system has too few free blocks or inodes.
public final class FileSystemFullException extends IOException {
  private static final long serialVersionUID = 1;

  private final long required;
  private final long size;

  /// Creates an exception that names the exhausted resource.
  ///
  /// @param what the message: it names the exhausted resource, and also the entry that needed this
  ///   resource, if that entry is known
  /// @param required the minimum size in bytes of a file system with space for the earlier entries
  ///   and the entry that did not fit. If the caller has counted later entries, the size includes
  ///   an estimate of their space
  /// @param size the size of the file system in bytes
  public FileSystemFullException(String what, long required, long size) {
    super(what);
    this.required = required;
    this.size = size;
  }

  /// Returns an exception with the same sizes and a message that also names the entry.
  FileSystemFullException of(EntryPath path) {
    FileSystemFullException named =
        new FileSystemFullException(path + ": " + getMessage(), required, size);
    named.initCause(this);
    return named;
  }

  /// Returns the minimum size in bytes of a file system with space for the earlier entries and the
  /// entry that did not fit. If the code that threw this exception also counted later entries, the
  /// size includes an estimate of their space.
  public long required() {
    return required;
  }

  /// Returns the size of the file system in bytes.
  public long size() {
    return size;
  }
}

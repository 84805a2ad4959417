package dev.pvcpopulators.diskimage;

import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;

/// Thrown if the disk does not fit into the volume.
public final class ExceedsVolumeException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long required;
  private final long available;
  private final boolean full;

  private ExceedsVolumeException(String message, long required, long available, boolean full) {
    super(message);
    this.required = required;
    this.available = available;
    this.full = full;
  }

  /// Creates an exception for a disk whose known size exceeds the volume's capacity.
  ///
  /// @param required minimum number of bytes that the disk needs
  /// @param available bytes that the volume offers
  public static ExceedsVolumeException tooLarge(long required, long available) {
    return new ExceedsVolumeException(
        "The disk needs " + required + " bytes, the volume has " + available + " bytes for it",
        required,
        available,
        false);
  }

  /// Creates an exception for a write that failed because the volume was full (ENOSPC, EDQUOT) or
  /// the file was too large (EFBIG). Unlike with [#tooLarge], the failure was found only while the
  /// disk was written.
  ///
  /// @param required minimum number of bytes that the disk needs
  /// @param available bytes that the volume had for the disk when writing began
  public static ExceedsVolumeException full(long required, long available) {
    return new ExceedsVolumeException(
        ("The volume is full: the disk needs %s bytes, the volume had %s bytes for it"
                + " when writing began")
            .formatted(required, available),
        required,
        available,
        true);
  }

  /// Creates an exception for a file system that became full. Unlike [#full(long, long)], this
  /// method takes the number of bytes that are free now, not the number that were free when writing
  /// began.
  ///
  /// @param required minimum number of bytes that are needed in total
  /// @param left bytes that are free in the file system now
  public static ExceedsVolumeException fullNow(long required, long left) {
    return new ExceedsVolumeException(
        "The file system is full: %s bytes are needed in total, and %s bytes are left"
            .formatted(required, left),
        required,
        left,
        true);
  }

  /// Returns the exception of [#full(long, long)], with the failure as its cause, if a system call
  /// failed because the volume is full or the file is too large. For any other failure, returns the
  /// failure itself.
  public static IOException ifFull(SystemCallException failure, long required, long available) {
    if (!failure.full() && !failure.tooLarge()) {
      return failure;
    }
    ExceedsVolumeException full = full(required, available);
    full.initCause(failure);
    return full;
  }

  /// Returns the minimum number of bytes that the disk needs.
  public long required() {
    return required;
  }

  /// Returns the `available` or `left` parameter of the method that created this exception, in
  /// bytes. The exception's message says what this number means.
  public long available() {
    return available;
  }

  /// Returns true if a write failed because the volume was full or the file too large; false if a
  /// comparison of sizes showed that the disk does not fit.
  public boolean full() {
    return full;
  }
}

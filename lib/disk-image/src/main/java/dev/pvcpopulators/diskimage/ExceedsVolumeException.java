package dev.pvcpopulators.diskimage;

import java.io.IOException;

/// The disk does not fit into the volume.
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

  /// The disk's size is known to be beyond what the volume offers.
  ///
  /// @param required bytes that the disk needs, at least
  /// @param available bytes that the volume offers
  public static ExceedsVolumeException tooLarge(long required, long available) {
    return new ExceedsVolumeException(
        "The disk needs " + required + " bytes, the volume has " + available + " bytes for it",
        required,
        available,
        false);
  }

  /// The volume ran out of space (ENOSPC, EDQUOT) although the disk's size had seemed to fit.
  public static ExceedsVolumeException full(long required, long available) {
    return new ExceedsVolumeException(
        "The volume is full: the disk needs "
            + required
            + " bytes, the volume had "
            + available
            + " bytes for it when writing began",
        required,
        available,
        true);
  }

  /// Bytes that the disk needs, at least.
  public long required() {
    return required;
  }

  /// Bytes that the volume offered when writing began.
  public long available() {
    return available;
  }

  /// True where the file system said so while writing, false where the sizes did.
  public boolean full() {
    return full;
  }
}

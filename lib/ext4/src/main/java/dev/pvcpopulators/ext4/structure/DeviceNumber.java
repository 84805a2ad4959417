package dev.pvcpopulators.ext4.structure;

/// A device's number as `i_block` has it: in the first word where both parts are below 256, else in
/// the second (include/linux/kdev_t.h, `old_encode_dev` and `new_encode_dev`).
///
/// @param major 0–4,095
/// @param minor 0–1,048,575
@SuppressWarnings("DoNotCallSuggester")
public record DeviceNumber(int major, int minor) {
  /// As `i_block` has it.
  ///
  /// @return 60 bytes
  public Bytes block() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Reads `i_block`.
  ///
  /// @param block `i_block`
  public static DeviceNumber read(Bytes block) {
    throw new UnsupportedOperationException("skeleton");
  }
}

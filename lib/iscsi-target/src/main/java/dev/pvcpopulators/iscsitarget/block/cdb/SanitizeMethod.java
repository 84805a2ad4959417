package dev.pvcpopulators.iscsitarget.block.cdb;

import java.nio.ByteBuffer;

/// The method by which a SANITIZE makes stored data unreadable (SBC-3, section 5.20).
public sealed interface SanitizeMethod {
  /// OVERWRITE: writes a pattern to each block, in one or more passes.
  ///
  /// @param pattern the content to write to each logical block; one block long
  /// @param passes 1 to 31
  /// @param invert whether each pass after the first inverts the pattern of the previous pass
  record Overwrite(ByteBuffer pattern, int passes, boolean invert) implements SanitizeMethod {}

  /// BLOCK ERASE: deallocates all blocks. CRYPTOGRAPHIC ERASE also deallocates all blocks, because
  /// there is no key to destroy.
  record Erase() implements SanitizeMethod {}
}

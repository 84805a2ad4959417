package dev.pvcpopulators.iscsitarget.block.cdb;

import java.nio.ByteBuffer;

/// The method of a SANITIZE that makes stored data unreadable (SBC-3, section 5.20).
public sealed interface SanitizeMethod {
  /// OVERWRITE: writes a pattern to each block, in one or more passes.
  ///
  /// @param pattern one logical block
  /// @param passes 1 to 31
  /// @param invert whether the pattern is inverted from pass to pass
  record Overwrite(ByteBuffer pattern, int passes, boolean invert) implements SanitizeMethod {}

  /// BLOCK ERASE, and also CRYPTOGRAPHIC ERASE, because there is no key to destroy: all blocks are
  /// deallocated.
  record Erase() implements SanitizeMethod {}
}

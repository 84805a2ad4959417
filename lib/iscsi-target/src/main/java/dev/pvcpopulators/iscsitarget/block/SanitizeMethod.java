package dev.pvcpopulators.iscsitarget.block;

import java.nio.ByteBuffer;

/// How a SANITIZE makes what is stored unreadable (SBC-3, section 5.20).
sealed interface SanitizeMethod {
  /// OVERWRITE: a pattern on each block, several times.
  ///
  /// @param pattern a logical block of it
  /// @param passes 1 to 31
  /// @param invert the pattern from pass to pass
  record Overwrite(ByteBuffer pattern, int passes, boolean invert) implements SanitizeMethod {}

  /// BLOCK ERASE, and CRYPTOGRAPHIC ERASE, for want of a key whose loss would do it: all blocks are
  /// deallocated.
  record Erase() implements SanitizeMethod {}
}

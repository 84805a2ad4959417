package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.MalformedTextException;
import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// The text of a login, collected from the pieces of several requests (RFC 7143, section 6.2: the C
/// bit). The total length of the text in one login is limited.
final class LoginText {
  /// The maximum number of bytes of text that an initiator may send until it is logged in. Any peer
  /// can force the target to keep this number of bytes for each connection. A regular login takes
  /// less than 2 KiB.
  static final int MAX_LENGTH = 16_384;

  private byte[] collected = {};
  private int total;

  /// Adds a piece; its position advances to its limit.
  void add(ByteBuffer piece) throws LoginRefusal {
    if (piece.remaining() > MAX_LENGTH - total) {
      throw LoginRefusal.initiatorError(
          "Text: expected at most " + MAX_LENGTH + " bytes, found more");
    }
    int length = piece.remaining();
    total += length;
    int before = collected.length;
    collected = Arrays.copyOf(collected, before + length);
    piece.get(collected, before, length);
  }

  /// Returns the text that was collected since the previous call of this method.
  TextKeys take() throws LoginRefusal {
    try {
      return TextKeys.read(ByteBuffer.wrap(collected));
    } catch (MalformedTextException e) {
      throw LoginRefusal.initiatorError(String.valueOf(e.getMessage()));
    } finally {
      collected = new byte[0];
    }
  }
}

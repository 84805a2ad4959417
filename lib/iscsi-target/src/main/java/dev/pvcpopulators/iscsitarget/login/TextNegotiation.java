package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.MalformedTextException;
import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Text negotiation in full-feature phase (RFC 7143, section 6.4). Only SendTargets is supported;
/// no parameter can be negotiated again. The negotiation keeps no state between two exchanges.
///
/// @param parameters the parameters of the session
/// @param remote the address of the initiator
public record TextNegotiation(
    SessionParameters parameters, TargetDirectory directory, InetAddress remote) {
  /// The maximum number of bytes of text that an initiator may send before the target answers.
  public static final int MAX_LENGTH = LoginText.MAX_LENGTH;

  /// Answers a complete text.
  ///
  /// @param text the text of one or more requests, from position to limit
  /// @return the text of the answer, which can be longer than the initiator accepts in one PDU
  /// @throws MalformedTextException if the initiator violated the protocol: the text has more than
  ///   [#MAX_LENGTH] bytes, or [TextKeys#read] refuses the text
  public ByteBuffer answer(ByteBuffer text) throws MalformedTextException {
    if (text.remaining() > MAX_LENGTH) {
      throw new MalformedTextException("Text: expected at most " + MAX_LENGTH + " bytes");
    }
    TextKeys answers = new TextKeys();
    for (TextKeys.Pair pair : TextKeys.read(text).pairs()) {
      if (pair.key().equals(SendTargets.KEY)) {
        Optional<TextKeys> targets =
            SendTargets.answer(pair.value(), parameters, directory, remote);
        targets.ifPresentOrElse(answers::addAll, () -> answers.add(pair.key(), TextKeys.REJECT));
      } else {
        answers.refuse(pair, isKnown(pair.key()));
      }
    }
    return answers.write();
  }

  private static boolean isKnown(String key) {
    return OperationalKey.of(key) != null || LoginIdentity.has(key) || SecurityNegotiation.has(key);
  }
}

package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// Text negotiation in full-feature phase (RFC 7143, section 6.4): discovery, and nothing else that
/// could be agreed upon anew. Keeps nothing between two exchanges.
public final class TextNegotiation {
  /// Most bytes of one exchange's text that an initiator may send.
  public static final int MAX_LENGTH = LoginText.MAX_LENGTH;

  private final SessionParameters parameters;
  private final TargetDirectory directory;
  private final InetAddress remote;

  /// The negotiations of one session.
  ///
  /// @param remote where its connection comes from
  public TextNegotiation(
      SessionParameters parameters, TargetDirectory directory, InetAddress remote) {
    this.parameters = parameters;
    this.directory = directory;
    this.remote = remote;
  }

  /// Answers a complete text.
  ///
  /// @param text all of the exchange's requests, from its position to its limit
  /// @return one chunk or more, each as long as the initiator takes in a PDU; all but the last go
  ///   with the C bit
  /// @throws MalformedTextException where it is no text, which is a protocol error
  public List<ByteBuffer> answer(ByteBuffer text) throws MalformedTextException {
    if (text.remaining() > MAX_LENGTH) {
      throw new MalformedTextException("Text: expected at most " + MAX_LENGTH + " bytes");
    }
    TextKeys answers = new TextKeys();
    for (TextKeys.Pair pair : TextKeys.read(text).pairs()) {
      if (pair.key().equals(SendTargets.KEY)) {
        Optional<TextKeys> targets =
            SendTargets.answer(pair.value(), parameters, directory, remote);
        targets.ifPresentOrElse(answers::addAll, () -> answers.reject(pair.key()));
      } else {
        answers.refuse(pair, isKnown(pair.key()));
      }
    }
    return TextChunks.of(answers.write(), parameters.initiatorMaxRecvDataSegmentLength());
  }

  private static boolean isKnown(String key) {
    return OperationalKey.of(key) != null || LoginIdentity.has(key) || SecurityNegotiation.has(key);
  }
}

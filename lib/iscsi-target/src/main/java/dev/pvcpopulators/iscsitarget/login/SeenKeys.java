package dev.pvcpopulators.iscsitarget.login;

import java.util.HashMap;
import java.util.Map;

/// The keys that an initiator has used in one login: each is negotiated once (RFC 7143, section
/// 6.2), and there are only so many.
///
/// Those that tell who is there may be said again in the next stage while they say the same, as
/// libiscsi does after CHAP; and a segment length may be declared anew.
final class SeenKeys {
  private final Map<String, String> values = new HashMap<>();

  /// Takes note of a pair.
  ///
  /// @throws LoginRefusal where it was there before, or there are too many
  void take(TextKeys.Pair pair) throws LoginRefusal {
    boolean identity = LoginIdentity.has(pair.key());
    String before = values.put(pair.key(), identity ? pair.value() : "");
    boolean repeatable =
        identity
            ? pair.value().equals(before)
            : pair.key().equals(OperationalKey.MAX_RECV_DATA_SEGMENT_LENGTH.text());
    if (before != null && !repeatable) {
      throw LoginRefusal.initiatorError("Text: expected each key once, found two of " + pair.key());
    }
    if (values.size() > TextKeys.MAX_PAIRS) {
      throw LoginRefusal.initiatorError("Text: expected at most " + TextKeys.MAX_PAIRS + " keys");
    }
  }
}

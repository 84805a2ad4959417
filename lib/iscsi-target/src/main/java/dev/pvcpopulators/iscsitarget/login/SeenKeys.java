package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.util.HashMap;
import java.util.Map;

/// The keys that an initiator has used in one login: each key may be negotiated only once (RFC
/// 7143, section 6.2), and the number of keys is limited.
///
/// InitiatorName, InitiatorAlias, SessionType and TargetName may be repeated in later requests with
/// the same value, as libiscsi does after CHAP. MaxRecvDataSegmentLength may be declared again,
/// also with another value.
final class SeenKeys {
  private final Map<String, String> values = new HashMap<>();

  /// Records a pair.
  ///
  /// @throws LoginRefusal if the key was used before and may not be repeated with this value, or
  ///   there are too many keys
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

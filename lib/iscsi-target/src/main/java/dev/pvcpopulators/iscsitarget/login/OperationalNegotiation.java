package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import dev.pvcpopulators.iscsitarget.pdu.Digest;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The negotiation of the operational parameters (RFC 7143, section 6.3.3). The target answers each
/// offer of the initiator immediately, so that no negotiation stays open.
final class OperationalNegotiation {
  private static final int MAX_CONNECTIONS = 65_535;
  private static final int MAX_SECONDS = 3600;
  private static final int MAX_RECOVERY_LEVEL = 2;
  private static final int MAX_PROTOCOL_LEVEL = 31;
  private static final List<String> TASK_REPORTING = List.of("ResponseFence", "RFC3720");

  private final NegotiationLimits limits;
  private final Map<OperationalKey, String> results = new EnumMap<>(OperationalKey.class);

  private boolean declared;

  /// Creates a negotiation in which all parameters have their defaults.
  OperationalNegotiation(NegotiationLimits limits) {
    this.limits = limits;
  }

  /// Processes an offer and adds the answer, or processes a declaration, which has no answer.
  ///
  /// @throws LoginRefusal for an invalid declaration
  void take(OperationalKey key, String offer, SessionType type, TextKeys answers)
      throws LoginRefusal {
    if (type == SessionType.DISCOVERY && !key.inDiscovery()) {
      answers.add(key.text(), TextKeys.IRRELEVANT);
      return;
    }
    Optional<String> result = function(key).result(offer);
    result.ifPresent(value -> results.put(key, value));
    if (key != OperationalKey.MAX_RECV_DATA_SEGMENT_LENGTH) {
      answers.add(key.text(), result.orElse(TextKeys.REJECT));
    } else if (result.isEmpty()) {
      throw LoginRefusal.initiatorError("MaxRecvDataSegmentLength: expected 512 to 16777215");
    }
  }

  /// Adds the target's own declaration of MaxRecvDataSegmentLength at the first call; does nothing
  /// at later calls.
  void declare(SessionType type, TextKeys answers) {
    if (!declared) {
      declared = true;
      answers.add(
          OperationalKey.MAX_RECV_DATA_SEGMENT_LENGTH.text(),
          limits.maxRecvDataSegmentLength(type));
    }
  }

  private ResultFunction function(OperationalKey key) {
    int least = NegotiationLimits.MIN_LENGTH;
    int most = NegotiationLimits.MAX_LENGTH;
    return switch (key) {
      case HEADER_DIGEST, DATA_DIGEST -> ResultFunction.firstOf(digests());
      case MAX_CONNECTIONS -> ResultFunction.minimum(1, MAX_CONNECTIONS, 1);
      case INITIAL_R2T -> ResultFunction.or(false);
      case IMMEDIATE_DATA -> ResultFunction.and(true);
      case MAX_RECV_DATA_SEGMENT_LENGTH -> ResultFunction.minimum(least, most, most);
      case MAX_BURST_LENGTH -> ResultFunction.minimum(least, most, limits.maxBurstLength());
      // FirstBurstLength must not exceed MaxBurstLength. If the initiator has not offered
      // MaxBurstLength before, the default of MaxBurstLength applies here.
      case FIRST_BURST_LENGTH ->
          ResultFunction.minimum(
              least,
              most,
              Math.min(limits.firstBurstLength(), number(OperationalKey.MAX_BURST_LENGTH)));
      case DEFAULT_TIME2WAIT -> ResultFunction.maximum(0, MAX_SECONDS, 0);
      // Tasks end with their connection, so no task is kept for a reconnect.
      case DEFAULT_TIME2RETAIN -> ResultFunction.minimum(0, MAX_SECONDS, 0);
      case MAX_OUTSTANDING_R2T ->
          ResultFunction.minimum(
              1, NegotiationLimits.MAX_OUTSTANDING_R2T, limits.maxOutstandingR2T());
      case DATA_PDU_IN_ORDER, DATA_SEQUENCE_IN_ORDER -> ResultFunction.or(true);
      case ERROR_RECOVERY_LEVEL -> ResultFunction.minimum(0, MAX_RECOVERY_LEVEL, 0);
      case TASK_REPORTING -> ResultFunction.firstOf(TASK_REPORTING);
      // Protocol level 1 stands for RFC 7143.
      case PROTOCOL_LEVEL -> ResultFunction.minimum(0, MAX_PROTOCOL_LEVEL, 1);
      // The marker keys are obsolete, but NotUnderstood is not allowed as an answer (RFC 7143,
      // section 13.25).
      case IF_MARKER, OF_MARKER -> _ -> Optional.of(OperationalKey.NO);
      case IF_MARK_INT, OF_MARK_INT -> _ -> Optional.empty();
    };
  }

  private List<String> digests() {
    return limits.requireDigests()
        ? List.of(Digest.CRC32C.key())
        : List.of(Digest.CRC32C.key(), Digest.NONE.key());
  }

  /// Returns the agreed value of a numerical key; its default if the key was not negotiated.
  int number(OperationalKey key) {
    return Integer.parseInt(value(key));
  }

  /// Returns the agreed value of a boolean key; its default if the key was not negotiated.
  boolean yes(OperationalKey key) {
    return value(key).equals(OperationalKey.YES);
  }

  /// Returns the agreed digest; [Digest#NONE] if the key was not negotiated.
  Digest digest(OperationalKey key) {
    return value(key).equals(Digest.CRC32C.key()) ? Digest.CRC32C : Digest.NONE;
  }

  /// Returns whether digests protect both header and data.
  boolean digestsAgreed() {
    return digest(OperationalKey.HEADER_DIGEST) == Digest.CRC32C
        && digest(OperationalKey.DATA_DIGEST) == Digest.CRC32C;
  }

  private String value(OperationalKey key) {
    return results.getOrDefault(key, key.byDefault());
  }
}

package dev.pvcpopulators.iscsitarget.login;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The keys of the operational stage (RFC 7143, section 13; RFC 7144, section 7).
///
/// | Key                      | Result   | Default  | In discovery |
/// |--------------------------|----------|----------|--------------|
/// | HeaderDigest, DataDigest | list     | None     | yes          |
/// | MaxConnections           | minimum  | 1        | no           |
/// | InitialR2T               | OR       | Yes      | no           |
/// | ImmediateData            | AND      | Yes      | no           |
/// | MaxRecvDataSegmentLength | declared | 8192     | yes          |
/// | MaxBurstLength           | minimum  | 262144   | no           |
/// | FirstBurstLength         | minimum  | 65536    | no           |
/// | DefaultTime2Wait         | maximum  | 2        | yes          |
/// | DefaultTime2Retain       | minimum  | 20       | yes          |
/// | MaxOutstandingR2T        | minimum  | 1        | no           |
/// | DataPDUInOrder           | OR       | Yes      | no           |
/// | DataSequenceInOrder      | OR       | Yes      | no           |
/// | ErrorRecoveryLevel       | minimum  | 0        | yes          |
/// | TaskReporting            | list     | RFC3720  | no           |
/// | iSCSIProtocolLevel       | minimum  | 1        | no           |
/// | IFMarker, OFMarker       | obsolete | No       | yes          |
/// | IFMarkInt, OFMarkInt     | obsolete | none     | yes          |
enum OperationalKey {
  HEADER_DIGEST("HeaderDigest", "None", true),
  DATA_DIGEST("DataDigest", "None", true),
  MAX_CONNECTIONS("MaxConnections", "1", false),
  INITIAL_R2T("InitialR2T", OperationalKey.YES, false),
  IMMEDIATE_DATA("ImmediateData", OperationalKey.YES, false),
  MAX_RECV_DATA_SEGMENT_LENGTH("MaxRecvDataSegmentLength", "8192", true),
  MAX_BURST_LENGTH("MaxBurstLength", "262144", false),
  FIRST_BURST_LENGTH("FirstBurstLength", "65536", false),
  DEFAULT_TIME2WAIT("DefaultTime2Wait", "2", true),
  DEFAULT_TIME2RETAIN("DefaultTime2Retain", "20", true),
  MAX_OUTSTANDING_R2T("MaxOutstandingR2T", "1", false),
  DATA_PDU_IN_ORDER("DataPDUInOrder", OperationalKey.YES, false),
  DATA_SEQUENCE_IN_ORDER("DataSequenceInOrder", OperationalKey.YES, false),
  ERROR_RECOVERY_LEVEL("ErrorRecoveryLevel", "0", true),
  TASK_REPORTING("TaskReporting", "RFC3720", false),
  PROTOCOL_LEVEL("iSCSIProtocolLevel", "1", false),
  IF_MARKER("IFMarker", OperationalKey.NO, true),
  OF_MARKER("OFMarker", OperationalKey.NO, true),
  IF_MARK_INT("IFMarkInt", "", true),
  OF_MARK_INT("OFMarkInt", "", true);

  static final String YES = "Yes";
  static final String NO = "No";

  private static final Map<String, OperationalKey> BY_TEXT =
      Arrays.stream(values()).collect(Collectors.toMap(OperationalKey::text, key -> key));

  private final String text;
  private final String byDefault;
  private final boolean inDiscovery;

  OperationalKey(String text, String byDefault, boolean inDiscovery) {
    this.text = text;
    this.byDefault = byDefault;
    this.inDiscovery = inDiscovery;
  }

  /// Returns the key-name.
  String text() {
    return text;
  }

  /// Returns the value that applies without a negotiation.
  String byDefault() {
    return byDefault;
  }

  /// Returns whether the key has a meaning in a discovery session. If this method returns false,
  /// the target answers the key with `Irrelevant` in a discovery session.
  boolean inDiscovery() {
    return inDiscovery;
  }

  /// Returns the operational key with the given name; null if there is no such key.
  static @Nullable OperationalKey of(String text) {
    return BY_TEXT.get(text);
  }
}

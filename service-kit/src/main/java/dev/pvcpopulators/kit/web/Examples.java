package dev.pvcpopulators.kit.web;

/// The examples of the OpenAPI document.
final class Examples {
  static final String REQUEST = "format: qcow2\n";
  static final String PVC = "pvc:\n  claimname: some-pvc-name\n";
  static final String PVC_JSON = "{\"pvc\":{\"claimname\":\"some-pvc-name\"}}";
  static final String ISCSI =
      """
      iscsi:
        host:
          name: 10.1.2.3
          port: "3260"
        portal: iqn.2017-01.io.kubevirt:sn.42
        lun: 2
      lun: 2
      """;
  static final String STATUS =
      "{\"phase\":\"Transferring\",\"bytesIn\":524288000,\"bytesOut\":1048576000,"
          + "\"totalBytes\":1048576000,\"percent\":50,\"bytesPerSecond\":262144000,"
          + "\"etaSeconds\":2,\"format\":\"qcow2+gzip\",\"virtualSize\":6442450944,"
          + "\"parts\":[{\"kind\":\"layer\",\"name\":\"sha256:0ed14ab7…\",\"state\":\"moving\","
          + "\"done\":524288000,\"total\":1048576000}],"
          + "\"revision\":\"mjv2gao0-2\",\"started\":\"2026-01-01T00:00:00Z\"}";
  static final String STATUS_YAML =
      "phase: Transferring\nbytesIn: 524288000\nbytesOut: 1048576000\nbytesPerSecond: 262144000\n";
  static final String EVENTS = "event: status\ndata: {\"phase\":\"Transferring\",…}\n\n";
  static final String PROBLEM =
      "{\"type\":\"urn:pvc-populators:problem:exceeds-volume\","
          + "\"title\":\"The disk does not fit into the volume\",\"status\":413,"
          + "\"detail\":\"The disk needs 10737418240 bytes, the volume has 5368709120\","
          + "\"retryable\":false,\"requiredBytes\":10737418240,\"availableBytes\":5368709120}";
  static final String ABSENT =
      "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
          + "\"detail\":\"There is no volume: nothing was asked for\",\"retryable\":false}";

  private Examples() {}
}

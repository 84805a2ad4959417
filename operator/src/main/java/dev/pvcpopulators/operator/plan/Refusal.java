package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import java.net.HttpURLConnection;

/// What a write that the API server refused means for a claim.
public sealed interface Refusal {
  /// The object changed or is gone: the next look plans anew.
  record Stale() implements Refusal {}

  /// A quota, an admission rule or a right forbids it. Nothing says when that changes, so it is
  /// tried again later.
  record Forbidden(Report report) implements Refusal {}

  /// The server's failure: the write is tried again with back-off.
  record Failed() implements Refusal {}

  int UNPROCESSABLE = 422;

  /// Reads the server's answer.
  ///
  /// @param code HTTP status
  /// @param message the server's own
  static Refusal of(Observed seen, int code, String message) {
    return switch (code) {
      case HttpURLConnection.HTTP_CONFLICT, HttpURLConnection.HTTP_NOT_FOUND -> new Stale();
      case HttpURLConnection.HTTP_FORBIDDEN, UNPROCESSABLE ->
          new Forbidden(
              Report.of(
                  seen.prime() == null ? Phase.Pending : Phase.Provisioning,
                  message.contains("exceeded quota")
                      ? Reason.QuotaExceeded
                      : Reason.CreationRefused,
                  message));
      default -> new Failed();
    };
  }
}

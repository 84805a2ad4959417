package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import java.net.HttpURLConnection;

/// The classification of a failed write. It determines whether and when the write is retried.
public sealed interface Refusal {
  /// The object changed or was deleted: the next reconciliation makes a new plan.
  record Stale() implements Refusal {}

  /// A quota, an admission rule, a missing right or the validation of the object forbids the write.
  /// No event reports that the write has become possible, so the write is retried later.
  record Forbidden(Report report) implements Refusal {}

  /// The server did not answer, or answered with a status that [Stale] and [Forbidden] do not
  /// cover: the write is retried with back-off.
  record Failed() implements Refusal {}

  int UNPROCESSABLE = 422;

  /// Classifies the server's answer.
  ///
  /// @param code HTTP status; 0 without an answer
  /// @param message the server's message
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

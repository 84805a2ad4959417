package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.SafeText;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Converts errors from the API server and from services to [Failure] values. Each [Failure] has an
/// exit code.
public final class Failures {
  private static final int MOST = 1_000;
  private static final int UNPROCESSABLE = 422;

  /// If the API server does not serve a kind, its error message contains one of these texts. If
  /// only an object is missing, the message contains the object's name, and "not found" in lower
  /// case.
  private static final Set<String> NO_KIND =
      Set.of("the server could not find the requested resource", "404 page", "Not Found");

  private Failures() {}

  /// Returns a failure of the given kind, such as `exceeds-volume`. For an unknown kind or null,
  /// returns [Failure.SourceUnavailable] if `retryable`, and [Failure.UnsupportedSource] otherwise.
  public static Failure of(@Nullable String kind, String detail, boolean retryable) {
    return switch (kind == null ? "" : kind) {
      case "invalid-request" -> new Failure.InvalidRequest(detail);
      case "unauthenticated" -> new Failure.Unauthenticated(detail);
      case "source-denied" -> new Failure.SourceDenied(detail);
      case "source-not-found" -> new Failure.SourceNotFound(detail);
      case "malformed-source" -> new Failure.MalformedSource(detail);
      case "digest-mismatch" -> new Failure.DigestMismatch(detail);
      case "exceeds-volume" -> new Failure.ExceedsVolume(detail, -1, -1, false);
      case "volume-full" -> new Failure.ExceedsVolume(detail, -1, -1, true);
      case "volume-failed" -> new Failure.VolumeFailed(detail);
      case "volume-busy" -> new Failure.VolumeBusy(detail);
      case "volume-not-empty" -> new Failure.VolumeNotEmpty(detail);
      case "cancelled" -> new Failure.Cancelled(detail);
      case "source-unavailable" -> new Failure.SourceUnavailable(detail);
      case "bug" -> new Failure.Bug("", detail);
      default ->
          retryable ? new Failure.SourceUnavailable(detail) : new Failure.UnsupportedSource(detail);
    };
  }

  /// Returns the failure of a population whose phase is Failed.
  static Failure of(String claim, DiskPopulationStatus status) {
    DiskPopulationStatus.Failure found = status.failure();
    String message = status.message() == null ? "no reason was given" : status.message();
    String detail = "Filling claim %s failed: %s".formatted(claim, SafeText.of(message, MOST));
    return found == null
        ? of(kindOf(status), detail, false)
        : of(found.type(), detail, Boolean.TRUE.equals(found.retryable()));
  }

  /// Returns the kind of a failure that no service has reported; null if unknown. The only known
  /// kind is a digest mismatch of an upload, which the operator itself finds.
  private static @Nullable String kindOf(DiskPopulationStatus status) {
    return Conditions.reason(status).filter("DigestMismatch"::equals).isPresent()
        ? "digest-mismatch"
        : null;
  }

  /// Returns the exception for a failed request to the API server.
  ///
  /// @param action the action that failed, such as `Creating claim vm1`
  public static VolumeException of(String action, KubernetesClientException e) {
    String said = e.getStatus() == null ? null : e.getStatus().getMessage();
    String reason = SafeText.of(said != null ? said : String.valueOf(innermost(e)), MOST);
    String detail = "%s: %s".formatted(action, reason);
    return new VolumeException(
        switch (e.getCode()) {
          case HttpURLConnection.HTTP_UNAUTHORIZED, HttpURLConnection.HTTP_FORBIDDEN ->
              new Failure.Unauthenticated(detail);
          case HttpURLConnection.HTTP_NOT_FOUND ->
              new Failure.SourceNotFound(
                  NO_KIND.stream().anyMatch(reason::contains)
                      ? action
                          + ": the cluster has no such kind; if the operator is not installed: make"
                          + " install; kubectl populate doctor shows what is missing"
                      : detail);
          case HttpURLConnection.HTTP_BAD_REQUEST, HttpURLConnection.HTTP_CONFLICT, UNPROCESSABLE ->
              new Failure.InvalidRequest(detail);
          default -> new Failure.SourceUnavailable(detail);
        },
        e);
  }

  private static Throwable innermost(Throwable e) {
    Throwable found = e;
    while (found.getCause() != null) {
      found = found.getCause();
    }
    return found.getMessage() == null ? e : found;
  }
}

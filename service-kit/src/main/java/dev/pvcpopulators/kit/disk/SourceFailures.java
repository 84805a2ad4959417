package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.util.Optional;

/// Maps exceptions of lib/http or of an image's reader to failures for clients.
public final class SourceFailures {
  private SourceFailures() {}

  /// Returns the [Failure] that corresponds to an exception.
  ///
  /// @param action the failed action, such as `Reading docker://…`, for the messages about
  ///   malformed and unsupported images
  /// @return empty if the source is not the cause
  public static Optional<Failure> of(IOException e, String action) {
    return switch (e) {
      case SourceException known -> Optional.of(of(known));
      case MalformedImageException malformed ->
          Optional.of(new Failure.MalformedSource(action + ": " + malformed.getMessage()));
      case UnsupportedFeatureException unsupported ->
          Optional.of(new Failure.UnsupportedSource(action + ": " + unsupported.getMessage()));
      default -> Optional.empty();
    };
  }

  private static Failure of(SourceException e) {
    String detail = String.valueOf(e.getMessage());
    return switch (e) {
      case SourceDeniedException _ -> new Failure.SourceDenied(detail);
      case SourceNotFoundException _ -> new Failure.SourceNotFound(detail);
      case SourceUnavailableException _ -> new Failure.SourceUnavailable(detail);
      case DigestMismatchException _ -> new Failure.DigestMismatch(detail);
    };
  }
}

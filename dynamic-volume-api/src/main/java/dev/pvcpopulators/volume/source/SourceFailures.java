package dev.pvcpopulators.volume.source;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.DigestMismatchException;
import dev.pvcpopulators.registry.RegistryException;
import dev.pvcpopulators.registry.SourceDeniedException;
import dev.pvcpopulators.registry.SourceNotFoundException;
import dev.pvcpopulators.registry.SourceUnavailableException;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.util.Optional;

/// What a client learns of an exception on the way out of a registry.
public final class SourceFailures {
  private SourceFailures() {}

  /// Finds the row in the table of failures.
  ///
  /// @param action what was being read, for the messages about content: `Reading docker://…`
  /// @return empty where the source is not to blame
  public static Optional<Failure> of(IOException e, String action) {
    return switch (e) {
      case RegistryException known -> Optional.of(of(known));
      case MalformedImageException malformed ->
          Optional.of(new Failure.MalformedSource(action + ": " + malformed.getMessage()));
      case UnsupportedFeatureException unsupported ->
          Optional.of(new Failure.UnsupportedSource(action + ": " + unsupported.getMessage()));
      default -> Optional.empty();
    };
  }

  private static Failure of(RegistryException e) {
    String detail = String.valueOf(e.getMessage());
    return switch (e) {
      case SourceDeniedException _ -> new Failure.SourceDenied(detail);
      case SourceNotFoundException _ -> new Failure.SourceNotFound(detail);
      case SourceUnavailableException _ -> new Failure.SourceUnavailable(detail);
      case DigestMismatchException _ -> new Failure.DigestMismatch(detail);
    };
  }
}

package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.registry.DigestMismatchException;
import dev.pvcpopulators.registry.RegistryException;
import dev.pvcpopulators.registry.SourceDeniedException;
import dev.pvcpopulators.registry.SourceNotFoundException;
import dev.pvcpopulators.registry.SourceUnavailableException;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.disk.DiskVolume;
import java.io.IOException;

/// What a client learns of an exception on the way from the registry to the volume.
final class SourceFailures {
  private SourceFailures() {}

  static Failure failureOf(IOException e, CopyRequest asked, DiskVolume volume) {
    return e instanceof RegistryException known
        ? of(known)
        : volume.failureOf(e, "Reading " + asked.reference());
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

package dev.pvcpopulators.operator.plan;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskImageSpec;
import java.util.Optional;

/// Checks a DiskImage by the CEL rules of its kind, because API servers before 1.25 do not know
/// CEL. The messages are those of the CEL rules. Every API server checks types, lengths and
/// patterns.
public final class ImageCheck {
  private ImageCheck() {}

  /// Returns the first violation; empty if the DiskImage is valid.
  public static Optional<String> mistake(DiskImage image) {
    DiskImageSpec spec = image.getSpec();
    if (spec == null || spec.sources() != 1) {
      return Optional.of(DiskImageSpec.ONE_SOURCE);
    }
    // The generation is 1 at first, and increases with each change of the spec.
    Long generation = image.getMetadata().getGeneration();
    if (generation != null && generation > 1) {
      return Optional.of(DiskImageSpec.UNCHANGED);
    }
    if (spec.upload() != null && spec.retries() != null) {
      return Optional.of(DiskImageSpec.NO_RETRIES);
    }
    if (spec.registry() != null
        && spec.registry().digest() != null
        && spec.registry().image().contains("@")) {
      return Optional.of(DiskImageSpec.ONE_DIGEST);
    }
    return Optional.empty();
  }
}

package dev.pvcpopulators.kit.observe;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Phase;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/// Reports live if the volume's state can be read. A failed creation is no reason to restart the
/// container, because a new request is enough.
@Liveness
@ApplicationScoped
class LivenessCheck implements HealthCheck {
  private final VolumeLifecycle lifecycle;

  @Inject
  LivenessCheck(VolumeLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  @Override
  public HealthCheckResponse call() {
    Phase phase = lifecycle.status().phase();
    return HealthCheckResponse.named("answers").up().withData("phase", phase.name()).build();
  }
}

package dev.pvcpopulators.volume.observe;

import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/// Live: the volume's state can be asked. A failed creation is no reason to restart the container;
/// asking again is enough.
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

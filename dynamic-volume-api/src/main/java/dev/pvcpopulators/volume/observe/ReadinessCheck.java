package dev.pvcpopulators.volume.observe;

import dev.pvcpopulators.volume.VolumeLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Ready: requests are taken, which ends when the service stops. A service that has no volume yet
/// is ready, because it takes a request to make one.
@Readiness
@ApplicationScoped
class ReadinessCheck implements HealthCheck {
  private final VolumeLifecycle lifecycle;

  @Inject
  ReadinessCheck(VolumeLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("takes requests").status(!lifecycle.closing()).build();
  }
}

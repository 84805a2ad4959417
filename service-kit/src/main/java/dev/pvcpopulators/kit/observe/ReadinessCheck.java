package dev.pvcpopulators.kit.observe;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/// Reports ready while requests are accepted, until the service is stopping. A service without a
/// volume is ready, because it accepts a request to make one.
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

package dev.pvcpopulators.kit.observe;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Startup;

/// Reports started when the recovery after a restart is done, and its leftovers are removed.
@Startup
@ApplicationScoped
class StartupCheck implements HealthCheck {
  private final VolumeLifecycle lifecycle;

  @Inject
  StartupCheck(VolumeLifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("volume known").status(lifecycle.recovered()).build();
  }
}

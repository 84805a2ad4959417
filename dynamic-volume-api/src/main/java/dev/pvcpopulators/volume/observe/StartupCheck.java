package dev.pvcpopulators.volume.observe;

import dev.pvcpopulators.volume.VolumeLifecycle;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Startup;

/// Started: it is known what a restart left behind, and its leftovers are gone.
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

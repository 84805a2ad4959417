package dev.pvcpopulators.kit.observe;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/// The health checks of a service, for the probes of Kubernetes.
final class HealthChecks {
  private HealthChecks() {}

  /// Reports live if the volume's state can be read. A failed creation is no reason to restart the
  /// container, because a new request repeats the creation without a restart.
  @Produces
  @Singleton
  @Liveness
  static HealthCheck live(VolumeLifecycle lifecycle) {
    return () ->
        HealthCheckResponse.named("answers")
            .up()
            .withData("phase", lifecycle.status().phase().name())
            .build();
  }

  /// Reports ready until the service stops accepting requests. A service without a volume is ready,
  /// because it accepts a request to make one.
  @Produces
  @Singleton
  @Readiness
  static HealthCheck ready(VolumeLifecycle lifecycle) {
    return () -> HealthCheckResponse.named("takes requests").status(!lifecycle.closing()).build();
  }

  /// Reports started when the recovery has succeeded. The recovery runs at each start of the
  /// process, and removes the leftovers of a crash.
  @Produces
  @Singleton
  @Startup
  static HealthCheck started(VolumeLifecycle lifecycle) {
    return () -> HealthCheckResponse.named("volume known").status(lifecycle.recovered()).build();
  }
}

package dev.pvcpopulators.operator;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/// Reports ready when all watches run. A replica that is not the leader is ready, too.
@Startup
@Readiness
@ApplicationScoped
class WatchesCheck implements HealthCheck {
  private final Controller controller;

  @Inject
  WatchesCheck(Controller controller) {
    this.controller = controller;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("watches").status(controller.healthy()).build();
  }
}

package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.terminal.SteadyClock;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicBoolean;

/// The application's one [VolumeLifecycle], opened and closed with the application.
@ApplicationScoped
class LifecycleBean {
  /// The priority of [#open], which runs after the service's own start-up observers. [#EARLY] is
  /// the priority of [#close], which runs before the service's own shutdown observers.
  private static final int LATE = 10_000;

  private static final int EARLY = 1;

  private final VolumeLifecycle lifecycle;
  private final AtomicBoolean stopped = new AtomicBoolean();

  LifecycleBean(Populator populator) {
    lifecycle = new VolumeLifecycle(populator, SteadyClock.system());
  }

  @Produces
  @Singleton
  VolumeLifecycle lifecycle() {
    return lifecycle;
  }

  void open(@Observes @Priority(LATE) StartupEvent event) {
    lifecycle.open();
  }

  /// Ends a creation while requests are still served, so that waiting clients are answered.
  void stop(@Observes ShutdownDelayInitiatedEvent event) {
    stop();
  }

  /// Closes the lifecycle if no [ShutdownDelayInitiatedEvent] was sent before. Quarkus sends no
  /// [ShutdownDelayInitiatedEvent] in some modes and after some failures.
  void close(@Observes @Priority(EARLY) ShutdownEvent event) {
    stop();
  }

  /// Closes the lifecycle at the first call only. Closing may wait for a creation that ignores its
  /// cancellation, and two such waits would exceed the time that Kubernetes grants for the
  /// termination of a container.
  private void stop() {
    if (stopped.compareAndSet(false, true)) {
      lifecycle.close();
    }
  }
}

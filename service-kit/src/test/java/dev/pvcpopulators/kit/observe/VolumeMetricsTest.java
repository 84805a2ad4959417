package dev.pvcpopulators.kit.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.lifecycle.FakePopulator;
import dev.pvcpopulators.kit.lifecycle.FakePopulator.End;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeRequest;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.StartupEvent;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VolumeMetricsTest {
  private final FakePopulator fake = new FakePopulator();
  private final VolumeLifecycle lifecycle = new VolumeLifecycle(fake, Clock.systemUTC());
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void close() {
    lifecycle.close();
  }

  private long creations() {
    return registry.find("pvc.populator.creation").timers().stream().mapToLong(Timer::count).sum();
  }

  private long creations(String outcome) {
    return registry.get("pvc.populator.creation").tag("outcome", outcome).timer().count();
  }

  @Test
  void aCancelledCreationHasNoOutcomeIfItsDeletionFails() throws Exception {
    new VolumeMetrics(lifecycle, registry).begin(new StartupEvent());
    lifecycle.open();
    var _ = lifecycle.put(VolumeRequest.empty());
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES));
    fake.deletionFailure = new Failure.VolumeBusy("another program has it");
    assertThrows(
        ExecutionException.class,
        () -> lifecycle.delete(new Expected.Anything()).get(5, TimeUnit.MINUTES));
    assertEquals(Phase.Failed, lifecycle.status().phase());
    assertEquals(0, creations());
    CompletableFuture<Creation> again = lifecycle.put(VolumeRequest.empty());
    fake.ends.put(new End.Failed(new Failure.SourceNotFound("no such image")));
    assertThrows(ExecutionException.class, () -> again.get(5, TimeUnit.MINUTES));
    assertEquals(1, creations("source-not-found"));
    assertEquals(1, creations());
  }
}

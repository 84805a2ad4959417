package dev.pvcpopulators.imagetoqcow2layers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.terminal.SteadyClock;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// Tests the reported progress of layers that are pulled and applied.
final class LayerProgressTest {
  private final Blobs blobs = new Blobs();
  private final List<LayerSource> bottomUp =
      List.of(layer("ground"), layer("same"), layer("same"), layer("top"));
  private final LayerProgress shown =
      new LayerProgress(
          bottomUp,
          new ConversionReport(SourceReference.parse("quay.io/some/image")),
          new Progress());

  private LayerSource layer(String content) {
    return blobs.plain(content.getBytes(US_ASCII));
  }

  private void assertStates(String fromTheBottom) {
    assertEquals(
        fromTheBottom,
        String.join(" ", shown.parts().stream().map(it -> it.state().name()).toList()));
  }

  @Test
  void reportsExistingMovingAndCompleteLayers() {
    assertStates("WAITING WAITING WAITING WAITING");
    shown.stored(bottomUp.get(0), false);
    shown.received(bottomUp.get(1), 4);
    shown.received(bottomUp.get(2), 2);
    assertStates("SKIPPED MOVING MOVING WAITING");
    shown.applied(bottomUp.get(1), 4);
    shown.stored(bottomUp.get(1), true);
    assertStates("SKIPPED DONE MOVING WAITING");
    assertEquals(List.of(0L, 4L, 2L, 0L), shown.parts().stream().map(it -> it.done()).toList());
    assertEquals(bottomUp.get(3).descriptor().digest().toString(), shown.parts().get(3).name());
  }

  @Test
  void theLowestThatMovesAtTheEndHasFailed() {
    shown.received(bottomUp.get(0), 6);
    shown.stored(bottomUp.get(0), true);
    shown.received(bottomUp.get(1), 1);
    shown.received(bottomUp.get(2), 1);
    shown.close();
    assertStates("DONE FAILED WAITING WAITING");
  }

  /// A watcher of the phase holds the lifecycle's lock, and then acquires the lock of
  /// [LayerProgress] to read the layers. If [LayerProgress] changed the phase while holding its own
  /// lock, it would acquire the two locks in the opposite order. Then two threads could deadlock.
  @Test
  void doesNotChangeThePhaseUnderItsLock() throws Exception {
    AtomicReference<LayerProgress> reporting = new AtomicReference<>();
    List<Boolean> locked = new CopyOnWriteArrayList<>();
    try (VolumeLifecycle lifecycle =
        new VolumeLifecycle(new Receiving(reporting), SteadyClock.system())) {
      lifecycle.watch(status -> {
        if (status.phase() == Phase.Transferring) {
          locked.add(Thread.holdsLock(reporting.get()));
        }
      });
      lifecycle.open();
      lifecycle.put(VolumeRequest.empty()).get();
    }
    assertEquals(Set.of(false), Set.copyOf(locked));
  }

  /// A populator that reports one received byte of a layer to [LayerProgress].
  private final class Receiving implements Populator {
    private final AtomicReference<LayerProgress> reporting;

    Receiving(AtomicReference<LayerProgress> reporting) {
      this.reporting = reporting;
    }

    @Override
    public String name() {
      return "receiving";
    }

    @Override
    public Set<String> overridableFields() {
      return Set.of();
    }

    @Override
    public VolumeSource create(
        VolumeRequest request, Progress progress, Cancellation cancellation) {
      LayerProgress layers =
          new LayerProgress(
              bottomUp,
              new ConversionReport(SourceReference.parse("quay.io/some/image")),
              progress);
      reporting.set(layers);
      progress.parts(layers::parts);
      layers.received(bottomUp.getFirst(), 1);
      return new PvcSource("claim");
    }

    @Override
    public void delete() {}

    @Override
    public Optional<Recovered> recover() {
      return Optional.empty();
    }
  }
}

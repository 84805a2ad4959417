package dev.pvcpopulators.kit.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ProgressTest {
  /// A clock that a test sets.
  private static final class HandClock extends Clock {
    private long millis;

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis);
    }

    @Override
    public long millis() {
      return millis;
    }
  }

  private final HandClock clock = new HandClock();
  private final Progress progress = new Progress(clock, () -> {});

  private VolumeStatus status() {
    return progress.status(
        progress.phase(),
        JsonNodeFactory.instance.objectNode(),
        List.of(),
        "0-1",
        null,
        null,
        null,
        null);
  }

  @Test
  void rateIsOfTheLastSeconds() {
    progress.total(100_000);
    assertEquals(0, status().bytesPerSecond());
    for (int i = 0; i < 60; i++) {
      clock.millis += 500;
      progress.received(500);
    }
    assertEquals(1_000, status().bytesPerSecond());
    assertEquals(30, status().percent());
    assertEquals(70, status().etaSeconds());
    // Without more bytes, the rate decreases over time.
    clock.millis += 10_000;
    assertTrue(status().bytesPerSecond() < 500);
  }

  @Test
  void theTimeBeforeTheFirstByteDoesNotCount() {
    progress.total(100_000);
    clock.millis += 3_600_000;
    assertEquals(0, status().bytesPerSecond());
    progress.received(100);
    for (int i = 0; i < 3; i++) {
      clock.millis += 500;
      progress.received(500);
      assertEquals(-1, status().etaSeconds());
    }
    clock.millis += 500;
    progress.received(500);
    assertEquals(1_000, status().bytesPerSecond());
    // A pause of the transfer must not lower the rate if no client reads the status during the
    // pause.
    clock.millis += 3_600_000;
    for (int i = 0; i < 5; i++) {
      progress.received(1_000);
      clock.millis += 500;
    }
    assertEquals(1_600, status().bytesPerSecond());
  }

  @Test
  void rareReadersSeeTheLastSeconds() {
    progress.total(100_000_000);
    for (int i = 0; i < 12; i++) {
      clock.millis += 5_000;
      progress.received(i < 8 ? 5_000 : 50_000);
      status();
    }
    assertEquals(10_000, status().bytesPerSecond());
  }

  @Test
  void unknownStaysUnknown() {
    progress.received(10);
    VolumeStatus status = status();
    assertEquals(-1, status.percent());
    assertEquals(-1, status.etaSeconds());
    assertEquals(
        "{\"phase\":\"Transferring\",\"bytesIn\":10,\"bytesOut\":0,\"bytesPerSecond\":0,"
            + "\"revision\":\"0-1\"}",
        status.document().toString());
  }

  @Test
  void thePhaseNeverGoesBack() {
    List<Phase> entered = new ArrayList<>();
    AtomicReference<Progress> observed = new AtomicReference<>();
    observed.set(new Progress(clock, () -> entered.add(observed.get().phase())));
    observed.get().received(1);
    observed.get().transferring();
    observed.get().finalizing();
    observed.get().transferring();
    observed.get().received(1);
    assertEquals(List.of(Phase.Transferring, Phase.Finalizing), entered);
    assertEquals(Phase.Finalizing, observed.get().phase());
  }

  @Test
  void percentNeverLeavesItsRange() {
    progress.total(0);
    assertEquals(0, status().percent());
    progress.total(5);
    progress.received(10);
    assertEquals(100, status().percent());
    progress.received(-20);
    assertEquals(0, status().percent());
  }

  @Test
  void cancellationNotifiesOnceAndLateListenersAtOnce() {
    Cancellation cancellation = new Cancellation();
    List<String> told = new ArrayList<>();
    Registration back = cancellation.onCancel(() -> told.add("taken back"));
    back.close();
    back.close();
    Registration kept = cancellation.onCancel(() -> told.add("first"));
    cancellation.cancel();
    cancellation.cancel();
    kept.close();
    Registration late = cancellation.onCancel(() -> told.add("late"));
    late.close();
    assertEquals(List.of("first", "late"), told);
    assertTrue(cancellation.cancelled());
    assertThrows(VolumeException.class, cancellation::check);
  }
}

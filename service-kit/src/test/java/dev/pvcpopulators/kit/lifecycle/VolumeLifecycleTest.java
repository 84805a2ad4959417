package dev.pvcpopulators.kit.lifecycle;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.kit.lifecycle.FakePopulator.End;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Deletion;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeChangedException;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VolumeLifecycleTest {
  private static final VolumeSource SOURCE = new PvcSource("claim");
  private static final VolumeRequest NONE = VolumeRequest.empty();
  private static final VolumeRequest RAW =
      new VolumeRequest(JsonNodeFactory.instance.objectNode().put("format", "raw"));

  private final FakePopulator fake = new FakePopulator();
  private final VolumeLifecycle lifecycle = new VolumeLifecycle(fake, Clock.systemUTC());

  @AfterEach
  void close() {
    lifecycle.close();
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(5, TimeUnit.MINUTES);
  }

  private static Failure failure(CompletableFuture<?> future) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> future.get(5, TimeUnit.MINUTES));
    return assertInstanceOf(VolumeException.class, e.getCause()).failure();
  }

  private void succeed() throws InterruptedException {
    fake.ends.put(new End.Success(SOURCE));
  }

  @Test
  void manyClientsShareOneCreation() throws Exception {
    lifecycle.open();
    List<CompletableFuture<Creation>> asked = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      asked.add(lifecycle.put(NONE));
    }
    succeed();
    for (CompletableFuture<Creation> each : asked) {
      assertEquals(new Creation(SOURCE, true), get(each));
    }
    assertEquals(new Creation(SOURCE, false), get(lifecycle.put(NONE)));
    assertEquals(1, fake.created.get());
  }

  @Test
  void aClientThatStopsWaitingEndsNothing() throws Exception {
    lifecycle.open();
    assertTrue(lifecycle.put(NONE).cancel(false));
    CompletableFuture<Creation> other = lifecycle.put(NONE);
    succeed();
    assertEquals(SOURCE, get(other).source());
    assertEquals(0, fake.cancelled.get());
  }

  @Test
  void putDoesNotWaitAndRefusesOtherFields() throws Exception {
    lifecycle.open();
    var _ = lifecycle.put(RAW);
    var _ = lifecycle.put(NONE);
    VolumeRequest other =
        new VolumeRequest(JsonNodeFactory.instance.objectNode().put("format", "qcow2"));
    VolumeException refused =
        assertInstanceOf(VolumeException.class, lifecycle.put(other).exceptionNow());
    assertInstanceOf(Failure.VolumeBusy.class, refused.failure());
    succeed();
    assertEquals(SOURCE, get(lifecycle.put(RAW)).source());
  }

  @Test
  void putWhileDeletingWaitsAndThenCreates() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> first = lifecycle.put(NONE);
    succeed();
    get(first);
    fake.deletions.drainPermits();
    CompletableFuture<Deletion> deletion = lifecycle.delete(new Expected.Anything());
    CompletableFuture<Creation> second = lifecycle.put(RAW);
    assertEquals(Phase.Deleting, lifecycle.status().phase());
    assertFalse(deletion.isDone());
    fake.deletions.release();
    get(deletion);
    succeed();
    assertEquals(new Creation(SOURCE, true), get(second));
    assertEquals(RAW, fake.request);
    assertEquals(2, fake.created.get());
  }

  @Test
  void deleteWhileCreatingEndsTheCreationAndThenRemoves() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> asked = lifecycle.put(NONE);
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES));
    get(lifecycle.delete(new Expected.Anything()));
    assertInstanceOf(Failure.Cancelled.class, failure(asked));
    assertEquals(1, fake.cancelled.get());
    assertEquals(1, fake.deleted.get());
    assertEquals(Phase.Absent, lifecycle.status().phase());
  }

  private static Expected revision(VolumeStatus status) {
    return new Expected.Revision(Set.of("another", status.revision()));
  }

  private static void assertChanged(CompletableFuture<?> future) {
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> future.get(5, TimeUnit.MINUTES));
    assertInstanceOf(VolumeChangedException.class, e.getCause());
  }

  @Test
  void deletesOnlyTheNamedRevision() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> asked = lifecycle.put(NONE);
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES));
    VolumeStatus creating = lifecycle.status();
    requireNonNull(fake.progress).received(10);
    assertEquals(creating.revision(), lifecycle.status().revision(), "progress changes nothing");
    succeed();
    get(asked);
    assertChanged(lifecycle.delete(revision(creating)));
    VolumeStatus first = lifecycle.status();
    assertEquals(Phase.Ready, first.phase());
    assertEquals(0, fake.deleted.get());
    get(lifecycle.delete(revision(first)));
    assertChanged(lifecycle.delete(new Expected.Something()));
    get(lifecycle.delete(revision(lifecycle.status())));
    CompletableFuture<Creation> again = lifecycle.put(NONE);
    succeed();
    get(again);
    assertChanged(lifecycle.delete(revision(first)));
    get(lifecycle.delete(new Expected.Something()));
    assertEquals(2, fake.deleted.get());
  }

  @Test
  void answersWithTheVolumeOfAnEarlierProcess() throws Exception {
    fake.found = Optional.of(new Recovered(SOURCE, RAW, 5, "sha256:00", "qcow2", 7));
    CompletableFuture<Creation> early = lifecycle.put(RAW);
    assertFalse(lifecycle.recovered());
    lifecycle.open();
    assertEquals(new Creation(SOURCE, false), get(early));
    assertTrue(lifecycle.recovered());
    VolumeStatus status = lifecycle.status();
    assertEquals("sha256:00", status.sourceDigest());
    assertEquals("qcow2", status.format());
    assertEquals(7, status.virtualSize());
    assertEquals(0, fake.created.get());
  }

  @Test
  void recoveryThatFailedIsTriedAgain() throws Exception {
    fake.recoveryFailure = new Failure.VolumeBusy("another pod has it");
    CompletableFuture<Creation> early = lifecycle.put(NONE);
    lifecycle.open();
    assertInstanceOf(Failure.VolumeBusy.class, failure(early));
    assertFalse(lifecycle.recovered());
    fake.recoveryFailure = null;
    CompletableFuture<Creation> later = lifecycle.put(NONE);
    succeed();
    assertEquals(SOURCE, get(later).source());
  }

  @Test
  void phasesAreReportedInOrder() throws Exception {
    List<Phase> phases = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch recovered = new CountDownLatch(1);
    CountDownLatch ready = new CountDownLatch(1);
    try (Registration _ =
        lifecycle.watch(status -> {
          if (status.phase() == Phase.Absent) {
            recovered.countDown();
          }
          if (status.phase() == Phase.Pending) {
            awaitReady();
          }
          phases.add(status.phase());
          if (status.phase() == Phase.Ready) {
            ready.countDown();
          }
        })) {
      lifecycle.open();
      assertTrue(recovered.await(5, TimeUnit.MINUTES));
      Thread end = Thread.startVirtualThread(() -> assertDoesNotThrow(this::succeed));
      assertEquals(SOURCE, get(lifecycle.put(NONE)).source());
      assertTrue(ready.await(5, TimeUnit.MINUTES));
      end.join();
    }
    assertEquals(List.of(Phase.Absent, Phase.Pending, Phase.Ready), phases);
  }

  /// Blocks the calling watcher until the volume is ready.
  private void awaitReady() {
    while (lifecycle.status().phase() != Phase.Ready) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void closingCancelsTheCreationAndRefusesNewRequests() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> asked = lifecycle.put(NONE);
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES));
    assertTrue(lifecycle.close(Duration.ofMinutes(5)));
    assertInstanceOf(Failure.Cancelled.class, failure(asked));
    assertInstanceOf(Failure.VolumeBusy.class, failure(lifecycle.put(NONE)));
    assertTrue(lifecycle.closing());
  }

  /// The callback waits for another thread, which needs the lock of the lifecycle.
  @Test
  void cancellationCallbacksRunWithoutTheLock() throws Exception {
    AtomicBoolean answered = new AtomicBoolean();
    AtomicReference<VolumeLifecycle> stopping = new AtomicReference<>();
    FakePopulator waiting =
        new FakePopulator() {
          @Override
          public VolumeSource create(
              VolumeRequest request, Progress progress, Cancellation cancellation)
              throws VolumeException, InterruptedException {
            try (Registration _ =
                cancellation.onCancel(() -> answered.set(answers(stopping.get())))) {
              return super.create(request, progress, cancellation);
            }
          }
        };
    stopping.set(new VolumeLifecycle(waiting, Clock.systemUTC()));
    stopping.get().open();
    CompletableFuture<Creation> asked = stopping.get().put(NONE);
    assertTrue(waiting.begun.tryAcquire(5, TimeUnit.MINUTES));
    assertTrue(stopping.get().close(Duration.ofMinutes(5)));
    assertInstanceOf(Failure.Cancelled.class, failure(asked));
    assertTrue(answered.get());
  }

  /// Returns true if another thread gets the status.
  private static boolean answers(VolumeLifecycle lifecycle) {
    try {
      return Thread.startVirtualThread(lifecycle::status).join(Duration.ofMinutes(5));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aWatcherThatThrowsKeepsNothingFromHappening() throws Exception {
    List<Phase> phases = Collections.synchronizedList(new ArrayList<>());
    Failure denied = new Failure.SourceDenied("no");
    List<Failure> failures = Collections.synchronizedList(new ArrayList<>());
    try (Registration _ = lifecycle.watch(VolumeLifecycleTest::defect);
        Registration _ = lifecycle.watch(status -> phases.add(status.phase()));
        Registration _ = lifecycle.watchFailures(VolumeLifecycleTest::defect);
        Registration _ = lifecycle.watchFailures(failures::add)) {
      lifecycle.open();
      CompletableFuture<Creation> asked = lifecycle.put(NONE);
      fake.ends.put(new End.Failed(denied));
      assertEquals(denied, failure(asked));
      CompletableFuture<Creation> again = lifecycle.put(NONE);
      succeed();
      assertEquals(new Creation(SOURCE, true), get(again));
    }
    assertEquals(List.of(denied), failures);
    assertEquals(
        List.of(Phase.Pending, Phase.Ready), phases.subList(phases.size() - 2, phases.size()));
  }

  private static void defect(Object news) {
    throw new IllegalStateException("A defect, told " + news);
  }

  @Test
  void totalsContinueOverCreations() throws Exception {
    lifecycle.open();
    for (int i = 0; i < 2; i++) {
      CompletableFuture<Creation> asked = lifecycle.put(NONE);
      succeed();
      get(asked);
      Progress progress = fake.progress;
      if (progress != null) {
        progress.received(30);
        progress.received(-20);
        progress.written(4);
      }
      get(lifecycle.delete(new Expected.Anything()));
    }
    assertEquals(new Totals(60, 8), lifecycle.totals());
    assertEquals(0, lifecycle.status().bytesIn());
  }

  @Test
  void theLastFailuresAreKept() throws Exception {
    lifecycle.open();
    for (int i = 0; i < 25; i++) {
      CompletableFuture<Creation> asked = lifecycle.put(NONE);
      fake.ends.put(new End.Failed(new Failure.SourceNotFound("number " + i)));
      failure(asked);
    }
    List<String> details =
        lifecycle.failures().stream().map(past -> past.failure().detail()).toList();
    assertEquals(20, details.size());
    assertEquals("number 24", details.getFirst());
    assertEquals("number 5", details.getLast());
    ObjectNode document = lifecycle.failures().getFirst().document();
    assertEquals("urn:pvc-populators:problem:source-not-found", document.path("type").asText());
    assertTrue(document.hasNonNull("at"));
  }

  @Test
  void aDeletionIsNotAFailure() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> asked = lifecycle.put(NONE);
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES));
    get(lifecycle.delete(new Expected.Anything()));
    failure(asked);
    assertEquals(List.of(), lifecycle.failures());
  }

  @Test
  void theStatusShowsPartsAndNotMoreThanItsBound() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> asked = lifecycle.put(NONE);
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES));
    assertFalse(lifecycle.status().document().has("parts"));
    Part layer = new Part(Part.Kind.LAYER, "sha256:1", Part.State.MOVING, 3, -1);
    requireNonNull(fake.progress).parts(() -> Collections.nCopies(Part.MOST + 1, layer));
    JsonNode parts = lifecycle.status().document().path("parts");
    assertEquals(Part.MOST, parts.size());
    assertEquals(
        "{\"kind\":\"layer\",\"name\":\"sha256:1\",\"state\":\"moving\",\"done\":3}",
        parts.get(0).toString());
    succeed();
    get(asked);
  }
}

package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TaskSetTest {
  private final Testbed bench = new Testbed();
  private final Nexus a = bench.login("a", 1);
  private final Nexus b = bench.login("b", 1);

  private UnitTask dispatch(Nexus nexus, TaskAttribute attribute) {
    return bench.dispatch(FakeTask.of(nexus, attribute, Testbed.READ_10), Testbed.LUN_0);
  }

  private static boolean waits(@Nullable CompletableFuture<Void> arrival) {
    return arrival != null && !arrival.isDone();
  }

  private record Inside(UnitTask command, @Nullable CompletableFuture<Void> turn) {}

  @Test
  void runsSimpleOnesAtOnce() throws TaskAbortedException {
    UnitTask first = dispatch(a, TaskAttribute.SIMPLE);
    UnitTask second = dispatch(b, TaskAttribute.SIMPLE);
    assertNull(first.arrival());
    assertNull(second.arrival());
    assertEquals(Response.GOOD, second.run());
    assertEquals(Response.GOOD, first.run());
  }

  @Test
  void ordersAmongAllNexuses() throws TaskAbortedException {
    UnitTask before = dispatch(a, TaskAttribute.SIMPLE);
    UnitTask another = dispatch(b, TaskAttribute.SIMPLE);
    UnitTask ordered = dispatch(b, TaskAttribute.ORDERED);
    UnitTask after = dispatch(a, TaskAttribute.SIMPLE);
    UnitTask secondOrdered = dispatch(a, TaskAttribute.ORDERED);
    UnitTask head = dispatch(a, TaskAttribute.HEAD_OF_QUEUE);
    CompletableFuture<Void> turn = ordered.arrival();
    CompletableFuture<Void> turnAfter = after.arrival();
    CompletableFuture<Void> turnLast = secondOrdered.arrival();
    assertNull(head.arrival());
    assertEquals(Response.GOOD, head.run());
    assertEquals(Response.GOOD, before.run());
    assertTrue(waits(turn));
    another.drop();
    assertFalse(waits(turn));
    assertTrue(waits(turnAfter));
    assertEquals(Response.GOOD, ordered.run());
    assertFalse(waits(turnAfter));
    assertTrue(waits(turnLast));
    assertEquals(Response.GOOD, after.run());
    assertFalse(waits(turnLast));
    assertEquals(Response.GOOD, secondOrdered.run());
    assertNull(dispatch(a, TaskAttribute.ORDERED).arrival(), "the first of all");
  }

  @Test
  void tasksAfterADroppedOneContinue() {
    UnitTask before = dispatch(a, TaskAttribute.SIMPLE);
    UnitTask ordered = dispatch(a, TaskAttribute.ORDERED);
    UnitTask after = dispatch(a, TaskAttribute.SIMPLE);
    CompletableFuture<Void> turn = after.arrival();
    assertTrue(waits(turn));
    ordered.drop();
    assertFalse(waits(turn));
    before.drop();
    after.drop();
    after.drop();
    assertNull(dispatch(b, TaskAttribute.ORDERED).arrival());
  }

  @Test
  void waitsForItsTurnAndThenForItsData() {
    CompletableFuture<Void> data = new CompletableFuture<>();
    bench.medium.arrivesWith(new CompletableFuture<>());
    UnitTask before = dispatch(a, TaskAttribute.SIMPLE);
    UnitTask ordered = dispatch(a, TaskAttribute.ORDERED);
    assertNotNull(before.arrival());
    bench.medium.arrivesWith(data);
    CompletableFuture<Void> arrival = ordered.arrival();
    assertEquals(1, bench.unit.statistics().waiting());
    before.drop();
    assertTrue(waits(arrival));
    assertEquals(1, bench.unit.statistics().waiting());
    data.complete(null);
    assertFalse(waits(arrival));
    ordered.drop();
    assertEquals(0, bench.unit.statistics().waiting());
  }

  /// A dropped task must cancel its wait. Otherwise the medium keeps the waits of ended commands.
  @Test
  void aDroppedTaskDoesNotWaitForItsData() {
    CompletableFuture<Void> ofFirst = new CompletableFuture<>();
    bench.medium.arrivesWith(ofFirst);
    UnitTask first = dispatch(a, TaskAttribute.SIMPLE);
    assertNotNull(first.arrival());
    first.drop();
    assertTrue(ofFirst.isCancelled());

    CompletableFuture<Void> ofOrdered = new CompletableFuture<>();
    bench.medium.arrivesWith(ofOrdered);
    UnitTask before = dispatch(a, TaskAttribute.SIMPLE);
    UnitTask ordered = dispatch(a, TaskAttribute.ORDERED);
    assertNotNull(ordered.arrival());
    before.drop();
    assertTrue(waits(ofOrdered));
    ordered.drop();
    assertTrue(ofOrdered.isCancelled());
  }

  @Test
  void answersBusyForMissingData() throws TaskAbortedException {
    bench.medium.arrivesWith(new CompletableFuture<>());
    UnitTask read = dispatch(a, TaskAttribute.SIMPLE);
    assertEquals(Response.BUSY, read.run());
  }

  @Test
  void abortsATaskThatWaits() {
    FakeTask task = FakeTask.of(a, Testbed.READ_10);
    UnitTask read = bench.dispatch(task, Testbed.LUN_0);
    task.abort(false);
    assertThrows(TaskAbortedException.class, read::run);
    assertNull(dispatch(b, TaskAttribute.ORDERED).arrival(), "it is out of the task set");
  }

  /// Tasks enter and leave the set in random order. At least one task in the set must always run.
  @Test
  void neverLosesATurn() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Deque<Inside> inside = new ArrayDeque<>();
    TaskAttribute[] attributes = {
      TaskAttribute.SIMPLE, TaskAttribute.ORDERED, TaskAttribute.HEAD_OF_QUEUE
    };
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(20) < 11) {
        UnitTask entered = dispatch(a, attributes[random.nextInt(3)]);
        inside.add(new Inside(entered, entered.arrival()));
      } else if (!inside.isEmpty()) {
        Inside leaving = random.nextInt(8) == 0 ? inside.pollLast() : inside.pollFirst();
        leaving.command().drop();
      }
    }
    while (!inside.isEmpty()) {
      Inside next =
          inside.stream()
              .filter(task -> !waits(task.turn()))
              .findFirst()
              .orElseThrow(() -> new AssertionError("All wait for each other, seed " + seed));
      inside.remove(next);
      next.command().drop();
    }
    assertTrue(bench.unit.taskSet.tasks().isEmpty(), "seed " + seed);
  }

  @Test
  void keepsItsOrderUnderManyThreads() throws Exception {
    int threads = 4;
    int each = 2_000;
    AtomicInteger running = new AtomicInteger();
    List<Future<?>> done = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      for (int t = 0; t < threads; t++) {
        long seed = t;
        done.add(
            executor.submit(() -> {
              Random random = new Random(seed);
              for (int i = 0; i < each; i++) {
                boolean ordered = random.nextInt(10) == 0;
                UnitTask command =
                    dispatch(a, ordered ? TaskAttribute.ORDERED : TaskAttribute.SIMPLE);
                CompletableFuture<Void> arrival = command.arrival();
                if (arrival != null) {
                  arrival.get(5, TimeUnit.MINUTES);
                }
                int others = running.getAndIncrement();
                if (ordered && others != 0) {
                  throw new AssertionError("An ORDERED task ran beside " + others);
                }
                running.decrementAndGet();
                command.run();
              }
              return null;
            }));
      }
    }
    for (Future<?> thread : done) {
      thread.get();
    }
    assertEquals((long) threads * each, bench.unit.statistics().reads());
    assertEquals((long) threads * each * 512, bench.unit.statistics().bytesRead());
  }
}

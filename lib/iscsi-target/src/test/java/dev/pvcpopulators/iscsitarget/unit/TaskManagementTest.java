package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TaskManagementTest {
  private static final long LUN_1 = 0x0001_0000_0000_0000L;

  private final Testbed bench = new Testbed();
  private final Nexus a = bench.login("a", 1);
  private final Nexus b = bench.login("b", 1);
  private final FakeTask ofA = FakeTask.of(a, Testbed.READ_10);
  private final FakeTask ofB = FakeTask.of(b, Testbed.READ_10);

  private void dispatchBoth() {
    bench.dispatch(ofA, Testbed.LUN_0);
    bench.dispatch(ofB, Testbed.LUN_0);
  }

  private TaskManagementAnswer manage(Nexus nexus, TaskManagement function) {
    return bench.target.manage(nexus, function, Testbed.LUN_0);
  }

  @Test
  void abortsTheTasksOfANexus() {
    dispatchBoth();
    assertEquals(TaskManagementAnswer.COMPLETE, manage(a, TaskManagement.ABORT_TASK_SET));
    assertTrue(ofA.aborted());
    assertFalse(ofB.aborted());
    assertEquals(-1, bench.attention(b));
  }

  @Test
  void clearsAllTasksAndNotifiesOtherNexuses() {
    dispatchBoth();
    assertEquals(TaskManagementAnswer.COMPLETE, manage(a, TaskManagement.CLEAR_TASK_SET));
    assertTrue(ofA.aborted() && ofB.aborted());
    assertFalse(ofB.told());
    assertEquals(-1, bench.attention(a));
    assertEquals(0x2F00, bench.attention(b));
  }

  @Test
  void answersTheTasksOfOthersWhereTasIsOn() {
    byte[] tas = FakeTask.hex("00000000 0a0a 02 10 00 40 0000 ffff 0000");
    assertEquals(Status.GOOD, bench.run(a, "15 10 00 00 10 00", tas).status());
    assertEquals(0x2A01, bench.attention(b));
    dispatchBoth();
    assertEquals(TaskManagementAnswer.COMPLETE, manage(a, TaskManagement.CLEAR_TASK_SET));
    assertTrue(ofB.told());
    assertFalse(ofA.told());
    assertEquals(-1, bench.attention(b));
  }

  /// When the target has reported the end of the writes, another initiator may write in place of
  /// the fenced initiator. A late write of the fenced initiator must not overwrite the new data.
  @ParameterizedTest
  @EnumSource(names = {"CLEAR_TASK_SET", "LOGICAL_UNIT_RESET", "TARGET_WARM_RESET"})
  void knowsWhenTheWritesOfOthersHaveEnded(TaskManagement function) throws Exception {
    byte[] data = new byte[Testbed.BLOCK];
    Arrays.fill(data, (byte) 7);
    FakeTask write = FakeTask.of(a, Testbed.WRITE_10, data);
    CountDownLatch writing = new CountDownLatch(1);
    CompletableFuture<Void> goesOn = new CompletableFuture<>();
    bench.medium.beforeWrite(() -> {
      writing.countDown();
      goesOn.join();
    });
    try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
      Future<?> ended = executor.submit(bench.dispatch(write, Testbed.LUN_0)::run);
      writing.await();
      manage(b, function);
      CompletableFuture<Void> changes = bench.target.changesEnded(b, function, Testbed.LUN_0);
      boolean early = changes.isDone();
      goesOn.complete(null);
      changes.join();
      assertTrue(write.aborted());
      assertFalse(early);
      assertEquals(7, bench.medium.bytes()[Testbed.BLOCK - 1]);
      assertThrows(ExecutionException.class, ended::get);
    }
    assertTrue(bench.target.changesEnded(b, function, Testbed.LUN_0).isDone());
  }

  @Test
  void knowsOnlyTheUnitsOfTheNexus() {
    MemoryMedium medium = new MemoryMedium(Testbed.LENGTH);
    try (LogicalUnit other =
        new LogicalUnit(
            medium,
            new UnitOptions("b's", "Disk", AccessMode.WRITE_SHARED, false, Duration.ZERO, false))) {
      bench.target.add(1, nexus -> nexus == b, nexus -> other);
      assertEquals(0x3F0E, bench.attention(b));
      FakeTask onLun1 = FakeTask.of(b, "12 00 00 00 24 00");
      bench.dispatch(onLun1, LUN_1);
      assertEquals(
          TaskManagementAnswer.NO_SUCH_LUN,
          bench.target.manage(a, TaskManagement.LOGICAL_UNIT_RESET, LUN_1));
      assertEquals(TaskManagementAnswer.COMPLETE, manage(a, TaskManagement.TARGET_COLD_RESET));
      assertFalse(onLun1.aborted());
      assertEquals(
          TaskManagementAnswer.COMPLETE,
          bench.target.manage(b, TaskManagement.LOGICAL_UNIT_RESET, LUN_1));
      assertTrue(onLun1.aborted());
    }
    assertTrue(medium.closed());
  }

  @Test
  void offersNoAca() {
    assertEquals(TaskManagementAnswer.NOT_SUPPORTED, manage(a, TaskManagement.CLEAR_ACA));
  }

  @Test
  void endsTheTasksOfASession() {
    dispatchBoth();
    bench.target.detach(a, false);
    assertTrue(ofA.aborted());
    assertFalse(ofB.aborted());
  }

  @Test
  void endsTheTasksOfAUnitThatIsTakenAway() {
    dispatchBoth();
    bench.target.remove(0);
    assertTrue(ofA.aborted() && ofB.aborted());
    assertEquals(0x2500, bench.run(a, Testbed.TEST_UNIT_READY).code());
  }
}

package dev.pvcpopulators.kit.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.kit.lifecycle.FakePopulator.End;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Checks a volume that accepts more disks after it is ready.
class GrowingVolumeTest {
  private static final VolumeSource FIRST = new PvcSource("first");
  private static final VolumeSource MORE = new PvcSource("more");

  private final Growing populator = new Growing();
  private final VolumeLifecycle lifecycle = new VolumeLifecycle(populator, Clock.systemUTC());

  /// A fake populator that fails to add a disk with the format `bad`.
  private static final class Growing implements GrowingPopulator {
    private final FakePopulator fake = new FakePopulator();
    private final BlockingQueue<VolumeRequest> asked = new LinkedBlockingQueue<>();
    private Consumer<Failure> watcher = _ -> {};

    @Override
    public void watchFailures(Consumer<Failure> by) {
      watcher = by;
    }

    @Override
    public Creation add(VolumeRequest request) throws VolumeException {
      asked.add(request);
      if (request.text("format").equals(Optional.of("bad"))) {
        throw new VolumeException(new Failure.SourceNotFound("no such thing"));
      }
      boolean first = request.isEmpty() || request.equals(format("raw"));
      return first ? new Creation(FIRST, false) : new Creation(MORE, true);
    }

    @Override
    public String name() {
      return fake.name();
    }

    @Override
    public Set<String> overridableFields() {
      return fake.overridableFields();
    }

    @Override
    public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
        throws VolumeException, InterruptedException {
      return fake.create(request, progress, cancellation);
    }

    @Override
    public void delete() throws VolumeException {
      fake.delete();
    }

    @Override
    public Optional<Recovered> recover() throws VolumeException {
      return fake.recover();
    }

    @Override
    public ObjectNode details() {
      return JsonNodeFactory.instance.objectNode().put("live", true);
    }
  }

  @AfterEach
  void close() {
    lifecycle.close();
  }

  private static VolumeRequest format(String name) {
    return new VolumeRequest(JsonNodeFactory.instance.objectNode().put("format", name));
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(5, TimeUnit.MINUTES);
  }

  @Test
  void anotherBodyAddsOnceTheVolumeIsReady() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> first = lifecycle.put(format("raw"));
    CompletableFuture<Creation> more = lifecycle.put(format("qcow2"));
    populator.fake.ends.put(new End.Success(FIRST));
    assertEquals(new Creation(FIRST, true), get(first));
    assertEquals(new Creation(MORE, true), get(more));
    assertEquals(new Creation(FIRST, false), get(lifecycle.put(format("raw"))));
    assertEquals(new Creation(FIRST, false), get(lifecycle.put(VolumeRequest.empty())));
    assertEquals(1, populator.fake.created.get());
  }

  /// If a client does not want to wait, it gets 202, and the service must still add the disk.
  @Test
  void anAdditionIsMadeForAClientThatStoppedWaiting() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> first = lifecycle.put(format("raw"));
    assertTrue(lifecycle.put(format("qcow2")).cancel(false));
    populator.fake.ends.put(new End.Success(FIRST));
    get(first);
    assertEquals(format("qcow2"), populator.asked.poll(5, TimeUnit.MINUTES));
  }

  /// The volume is deleted after its recovery, before the service adds the requested disk.
  @Test
  void aRequestWhoseVolumeIsDeletedMakesItsOwn() throws Exception {
    populator.fake.found =
        Optional.of(new Recovered(FIRST, format("raw"), 5, "sha256:00", "qcow2", 7));
    CompletableFuture<Creation> asked = lifecycle.put(format("raw"));
    AtomicBoolean found = new AtomicBoolean();
    // The watchers run before the client gets its answer, so the deletion begins first.
    try (Registration _ =
        lifecycle.watch(status -> {
          if (status.phase() == Phase.Ready && found.compareAndSet(false, true)) {
            var _ = lifecycle.delete(new Expected.Anything());
          }
        })) {
      lifecycle.open();
      populator.fake.ends.put(new End.Success(MORE));
      assertEquals(new Creation(MORE, true), get(asked));
    }
    assertEquals(format("raw"), populator.fake.request);
    assertEquals(1, populator.fake.created.get());
  }

  @Test
  void anAdditionThatFailsLeavesTheVolume() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> first = lifecycle.put(VolumeRequest.empty());
    populator.fake.ends.put(new End.Success(FIRST));
    get(first);
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> get(lifecycle.put(format("bad"))));
    assertInstanceOf(
        Failure.SourceNotFound.class,
        assertInstanceOf(VolumeException.class, e.getCause()).failure());
    assertEquals(Phase.Ready, lifecycle.status().phase());
    assertEquals(
        new Failure.SourceNotFound("no such thing"), lifecycle.failures().getFirst().failure());
  }

  @Test
  void aDiskThatFailsLaterIsToldOf() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> first = lifecycle.put(VolumeRequest.empty());
    populator.fake.ends.put(new End.Success(FIRST));
    get(first);
    populator.watcher.accept(new Failure.DigestMismatch("other bytes"));
    assertEquals(
        new Failure.DigestMismatch("other bytes"), lifecycle.failures().getFirst().failure());
  }

  @Test
  void nothingIsAddedWhereTheVolumeFails() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> first = lifecycle.put(format("raw"));
    CompletableFuture<Creation> more = lifecycle.put(format("qcow2"));
    populator.fake.ends.put(new End.Failed(new Failure.SourceDenied("no")));
    assertThrows(ExecutionException.class, () -> get(first));
    ExecutionException e = assertThrows(ExecutionException.class, () -> get(more));
    assertInstanceOf(VolumeException.class, e.getCause());
  }

  @Test
  void theStatusShowsThePresentState() throws Exception {
    lifecycle.open();
    CompletableFuture<Creation> first = lifecycle.put(VolumeRequest.empty());
    populator.fake.ends.put(new End.Success(FIRST));
    get(first);
    assertEquals(true, lifecycle.status().document().at("/details/live").booleanValue());
  }
}

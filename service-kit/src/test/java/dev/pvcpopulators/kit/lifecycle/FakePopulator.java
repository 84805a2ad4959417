package dev.pvcpopulators.kit.lifecycle;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A populator that a test controls. Each creation waits until the test provides its end.
public class FakePopulator implements Populator {
  /// The end of a creation: success, a failure, or an unexpected exception.
  public sealed interface End {
    record Success(VolumeSource source) implements End {}

    record Failed(Failure failure) implements End {}

    record Crash() implements End {}
  }

  /// Gets one permit at the start of each creation.
  public final Semaphore begun = new Semaphore(0);

  public final SynchronousQueue<End> ends = new SynchronousQueue<>();
  public final Semaphore deletions = new Semaphore(Integer.MAX_VALUE / 2);
  public final AtomicInteger created = new AtomicInteger();
  public final AtomicInteger cancelled = new AtomicInteger();
  public final AtomicInteger deleted = new AtomicInteger();
  public volatile @Nullable Progress progress;
  public volatile @Nullable VolumeRequest request;
  public volatile Optional<Recovered> found = Optional.empty();
  public volatile @Nullable Failure recoveryFailure;
  public volatile @Nullable Failure deletionFailure;

  @Override
  public String name() {
    return "fake";
  }

  @Override
  public Set<String> overridableFields() {
    return Set.of("format", "size");
  }

  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException {
    this.request = request;
    this.progress = progress;
    created.incrementAndGet();
    try (Registration _ = cancellation.onCancel(cancelled::incrementAndGet)) {
      begun.release();
      return switch (ends.take()) {
        case End.Success(var source) -> source;
        case End.Failed(var failure) -> throw new VolumeException(failure);
        case End.Crash _ -> throw new IllegalStateException("the secret of the crash");
      };
    }
  }

  @Override
  public void delete() throws VolumeException {
    deletions.acquireUninterruptibly();
    deletions.release();
    deleted.incrementAndGet();
    Failure failure = deletionFailure;
    if (failure != null) {
      throw new VolumeException(failure);
    }
  }

  @Override
  public Optional<Recovered> recover() throws VolumeException {
    Failure failure = recoveryFailure;
    if (failure != null) {
      throw new VolumeException(failure);
    }
    return found;
  }
}

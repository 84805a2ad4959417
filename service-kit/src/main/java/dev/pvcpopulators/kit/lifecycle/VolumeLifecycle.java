package dev.pvcpopulators.kit.lifecycle;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import dev.pvcpopulators.kit.connection.BodyArrays;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Deletion;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.PastFailure;
import dev.pvcpopulators.volume.VolumeChangedException;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeStatus;
import dev.pvcpopulators.volume.machine.Effect;
import dev.pvcpopulators.volume.machine.Event;
import dev.pvcpopulators.volume.machine.State;
import dev.pvcpopulators.volume.machine.Step;
import dev.pvcpopulators.volume.machine.VolumeMachine;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Controls the one volume of a service. Runs the service's [Populator] according to the state
/// machine [VolumeMachine]. Serves any number of clients that request the volume, wait for it and
/// watch it. Thread-safe.
public final class VolumeLifecycle implements AutoCloseable {
  private static final Logger LOG = System.getLogger(VolumeLifecycle.class.getName());
  private static final int FAILURES_KEPT = 20;

  private final PopulatorCalls calls;
  private final InstantSource clock;
  private final List<Consumer<VolumeStatus>> watchers = new CopyOnWriteArrayList<>();
  private final List<Consumer<Failure>> failureWatchers = new CopyOnWriteArrayList<>();
  private final ReentrantLock telling = new ReentrantLock();

  // Statuses are added to `untold` while the lock of this object is held, so they are in the order
  // of the changes. Statuses are removed from `untold` while the lock `telling` is held.
  private final Queue<VolumeStatus> untold = new ConcurrentLinkedQueue<>();

  // The lock of this object guards this field and all fields below.
  private final Waiters<Creation> creationWaiters = new Waiters<>();
  private final Waiters<Deletion> deletionWaiters = new Waiters<>();
  private final Deque<PastFailure> failures = new ArrayDeque<>();
  private final String startName;
  private State state = VolumeMachine.initial();
  private Progress progress;
  private Cancellation cancellation = new Cancellation();
  private Totals earlier = Totals.NONE;
  private @Nullable Thread worker;
  private @Nullable Instant started;
  private @Nullable Instant finished;
  private boolean closing;
  private long changes;

  public VolumeLifecycle(Populator populator, InstantSource clock) {
    this.calls = new PopulatorCalls(populator);
    if (populator instanceof GrowingPopulator growing) {
      growing.watchFailures(this::remember);
    }
    this.clock = clock;
    this.startName = Long.toString(clock.instant().toEpochMilli(), Character.MAX_RADIX);
    this.progress = new Progress(clock, () -> {});
  }

  /// Starts the recovery: the search for the volume of an earlier process. Called once. A request
  /// that arrives during the recovery waits until the recovery ends, unless the state machine
  /// refuses the request.
  public synchronized void open() {
    run("volume-recovery", this::recover);
  }

  /// Requests the volume.
  ///
  /// @return completes when the volume can be used, or with a [VolumeException]. Cancelling the
  ///   future only ends the waiting; the creation continues
  public CompletableFuture<Creation> put(VolumeRequest request) {
    CompletableFuture<Creation> answer =
        ask(new Event.PutAsked(request), () -> true, creationWaiters);
    if (!calls.growing()) {
      return answer;
    }
    // The populator gets the request even if the volume was made for the same request. The
    // populator then repeats the creation of each requested disk that has failed since it was made.
    return answer
        .thenCompose(it -> it.created() ? completedFuture(it) : grown(request))
        .exceptionallyCompose(
            e -> taken(unwrapped(e)) ? grown(request) : failedFuture(unwrapped(e)));
  }

  private static Throwable unwrapped(Throwable e) {
    Throwable cause = e.getCause();
    return e instanceof CompletionException && cause != null ? cause : e;
  }

  /// Returns whether a request was refused because the volume was made with other or unknown fields
  /// ([VolumeMachine#TAKEN]), or because a creation with other fields runs or waits
  /// ([VolumeMachine#BUSY]).
  private static boolean taken(Throwable refusal) {
    return refusal instanceof VolumeException refused
        && (refused.failure().equals(VolumeMachine.TAKEN)
            || refused.failure().equals(VolumeMachine.BUSY));
  }

  /// Waits until the volume can be used, and then adds a disk to it. To wait, this method sends a
  /// request without fields to the state machine. That request must not start a creation, because
  /// the volume would be made from the settings alone. So if there is neither a volume nor a
  /// requested creation any more, this method sends the client's own request again instead.
  private CompletableFuture<Creation> grown(VolumeRequest request) {
    return ask(new Event.PutAsked(VolumeRequest.empty()), this::requested, creationWaiters)
        .thenCompose(_ -> added(request))
        .exceptionallyCompose(e ->
            unwrapped(e) instanceof VolumeChangedException
                ? put(request)
                : failedFuture(unwrapped(e)));
  }

  /// Returns true if there is a volume, if a volume is being made, or if a request to make a volume
  /// waits. Called with the lock held.
  private boolean requested() {
    return switch (state) {
      case State.Ready _, State.Creating _ -> true;
      case State.Recovering(_, var next) -> next != null;
      case State.Cancelling(var next) -> next != null;
      case State.Deleting(var next) -> next != null;
      case State.Absent _, State.Failed _, State.Unrecovered _ -> false;
    };
  }

  private CompletableFuture<Creation> added(VolumeRequest request) {
    CompletableFuture<Creation> addition = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("volume-addition")
        .start(() -> {
          try {
            Creation added = calls.add(request);
            if (added.created()) {
              noteAddition();
            }
            addition.complete(added);
          } catch (VolumeException e) {
            remember(e.failure());
            addition.completeExceptionally(e);
          }
        });
    return addition;
  }

  /// Changes the revision after a disk was added. A client that requests the deletion of an earlier
  /// revision has not seen the added disk, and its request is then refused.
  private synchronized void noteAddition() {
    changes++;
  }

  /// Requests the removal of the volume if the volume meets the precondition. The check of the
  /// precondition and the change of the state are atomic.
  ///
  /// @return completes when the volume is removed; or with a [VolumeChangedException] if the volume
  ///   does not meet the precondition, or with a [VolumeException] for any other failure
  public CompletableFuture<Deletion> delete(Expected expected) {
    return ask(
        new Event.DeleteAsked(),
        () -> expected.metBy(revision(), state instanceof State.Absent),
        deletionWaiters);
  }

  /// Returns the present status.
  public synchronized VolumeStatus status() {
    return statusNow();
  }

  /// Returns the last failures since the service started, the newest first, at most 20. They are
  /// failures of creations, additions, deletions and recoveries, and of single disks of a ready
  /// volume.
  public synchronized List<PastFailure> failures() {
    return List.copyOf(failures);
  }

  /// Registers a watcher of failures. The watcher is called on the thread that found the failure,
  /// possibly with the lock of this object held. So the watcher has to return quickly, must not
  /// throw, and must not call this object.
  public Registration watchFailures(Consumer<Failure> watcher) {
    failureWatchers.add(watcher);
    return () -> failureWatchers.remove(watcher);
  }

  private void remember(Failure failure) {
    synchronized (this) {
      failures.addFirst(new PastFailure(clock.instant(), failure));
      if (failures.size() > FAILURES_KEPT) {
        failures.removeLast();
      }
    }
    callEach(failureWatchers, failure);
  }

  /// Returns whether the recovery ([#open]) has succeeded.
  public synchronized boolean recovered() {
    return !(state instanceof State.Recovering) && !(state instanceof State.Unrecovered);
  }

  /// Returns whether the service is stopping and accepts no new requests.
  public synchronized boolean closing() {
    return closing;
  }

  /// Returns the bytes transferred since the service started, over all creations.
  public synchronized Totals totals() {
    return earlier.plus(progress);
  }

  /// Registers a watcher that gets the status after each change of the state or the phase. The
  /// watcher is called in the order of the changes, one call at a time, and without the lock of
  /// this object. The thread that calls the watcher answers clients only after the watcher has
  /// returned. So the watcher has to return quickly, and must not wait for a future of this object.
  /// The watcher must not throw.
  public Registration watch(Consumer<VolumeStatus> watcher) {
    watchers.add(watcher);
    return () -> watchers.remove(watcher);
  }

  /// Stops the lifecycle: cancels a running creation, and waits for the end of the running
  /// recovery, creation or deletion, so that no incomplete data are left behind. Does not wait for
  /// disks that are being added. A complete volume stays.
  ///
  /// @param patience how long to wait for the end
  /// @return false if the recovery, creation or deletion has not ended within that time
  public boolean close(Duration patience) throws InterruptedException {
    stop();
    Instant end = clock.instant().plus(patience);
    Thread running = running();
    while (running != null && running.isAlive()) {
      Duration left = Duration.between(clock.instant(), end);
      if (left.isNegative() || !running.join(left)) {
        return false;
      }
      running = running();
    }
    return true;
  }

  /// Stops as [#close(Duration)] does, and waits at most 25 s, because Kubernetes by default kills
  /// a container 30 s after the request to terminate.
  @Override
  public void close() {
    try {
      boolean ended = close(Duration.ofSeconds(25));
      if (!ended) {
        LOG.log(Level.WARNING, "Stopping: expected the creation to end within 25 s; it has not");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void stop() {
    Cancellation token;
    Thread creating;
    synchronized (this) {
      closing = true;
      if (!(state instanceof State.Creating) && !(state instanceof State.Cancelling)) {
        return;
      }
      token = cancellation;
      creating = worker;
    }
    // The lock is not held here, because a callback of the cancellation may wait for a thread that
    // needs the lock.
    cancel(token, creating);
  }

  private static void cancel(Cancellation token, @Nullable Thread creating) {
    token.cancel();
    if (creating != null) {
      creating.interrupt();
    }
  }

  private synchronized @Nullable Thread running() {
    return worker;
  }

  /// Sends a client's request to the state machine, and returns the client's future for the answer.
  ///
  /// @param expected returns whether the volume is as the request expects; called with the lock
  ///   held
  private <T> CompletableFuture<T> ask(Event event, BooleanSupplier expected, Waiters<T> waiters) {
    CompletableFuture<T> asking = new CompletableFuture<>();
    List<Runnable> answers = new ArrayList<>();
    synchronized (this) {
      if (closing) {
        Failure stopping = new Failure.VolumeBusy("The service is stopping");
        answers.add(() -> asking.completeExceptionally(new VolumeException(stopping)));
      } else if (!expected.getAsBoolean()) {
        VolumeChangedException refusal = new VolumeChangedException(revision());
        answers.add(() -> asking.completeExceptionally(refusal));
      } else {
        waiters.add(asking);
        step(event, asking, answers);
      }
    }
    answers.forEach(Runnable::run);
    // Removes the future from `waiters` after a refusal or a cancellation. If the future is
    // completed already, the callback runs at once.
    var _ = asking.whenComplete((_, _) -> sweep(waiters));
    return asking;
  }

  private synchronized void sweep(Waiters<?> waiters) {
    waiters.sweep();
  }

  private void ended(Event event) {
    List<Runnable> answers = new ArrayList<>();
    synchronized (this) {
      step(event, null, answers);
    }
    answers.forEach(Runnable::run);
  }

  /// Applies an event. Called with the lock held; answers, cancellations and calls of the watchers
  /// that [#watch] registered are deferred until the lock is released.
  private void step(Event event, @Nullable CompletableFuture<?> asking, List<Runnable> later) {
    Step step = VolumeMachine.step(state, event);
    boolean changed = !step.state().equals(state);
    // A creation that a deletion has cancelled gets no end time. If the creation had an end time,
    // the metrics would record a failure of that deletion as the failure of the creation.
    boolean ended =
        state instanceof State.Creating
            && (event instanceof Event.Created || event instanceof Event.CreationFailed);
    state = step.state();
    if (changed) {
      changes++;
    }
    if (ended) {
      finished = clock.instant();
    }
    for (Effect effect : step.effects()) {
      perform(effect, asking, later);
    }
    if (state instanceof State.Absent) {
      reset();
    }
    Failure reason = state.reason();
    if (changed && reason != null) {
      remember(reason);
    }
    if (changed) {
      untold.add(statusNow());
      later.addFirst(this::tell);
    }
  }

  private void perform(Effect effect, @Nullable CompletableFuture<?> asking, List<Runnable> later) {
    switch (effect) {
      case Effect.BeginRecovery _ -> run("volume-recovery", this::recover);
      case Effect.BeginCreation(var request) -> beginCreation(request);
      case Effect.BeginDeletion _ -> run("volume-deletion", () -> ended(calls.delete()));
      case Effect.CancelCreation _ -> {
        Cancellation token = cancellation;
        Thread creating = worker;
        later.add(() -> cancel(token, creating));
      }
      case Effect.Refuse(var failure) -> {
        if (asking != null) {
          later.add(() -> asking.completeExceptionally(new VolumeException(failure)));
        }
      }
      case Effect.AnswerCreation(var source, var created) ->
          creationWaiters.complete(new Creation(source, created), later);
      case Effect.FailCreation(var failure) -> creationWaiters.fail(failure, later);
      case Effect.AnswerDeletion _ -> deletionWaiters.complete(new Deletion(), later);
      case Effect.FailDeletion(var failure) -> deletionWaiters.fail(failure, later);
    }
  }

  private void beginCreation(VolumeRequest request) {
    reset();
    started = clock.instant();
    cancellation = new Cancellation();
    if (closing) {
      cancellation.cancel();
    }
    Progress ours = progress;
    Cancellation token = cancellation;
    run(
        "volume-creation",
        () -> {
          ended(calls.create(request, ours, token));
          giveMemoryBack();
        });
  }

  /// Returns memory to the system. A creation leaves tens of MiB of buffers behind, and a service
  /// may then be idle for days. Without this call, the heap keeps its size during that time, and
  /// may grow further with the next creation.
  private static void giveMemoryBack() {
    BodyArrays.clear();
    System.gc();
  }

  private void reset() {
    earlier = earlier.plus(progress);
    progress = new Progress(clock, this::enteredPhase);
    started = null;
    finished = null;
  }

  private void recover() {
    ended(calls.recover(this::found));
  }

  private synchronized void found(Recovered volume) {
    progress.recovered(volume);
  }

  /// Starts a thread that calls the populator. Called with the lock held, so that the new thread
  /// cannot record its result before the caller has set all fields. A virtual thread would take
  /// more CPU time, because the thread computes or makes system calls nearly all the time, and each
  /// short wait would wake up several threads of the JVM.
  private void run(String name, Runnable work) {
    worker = Thread.ofPlatform().name(name).daemon().start(work);
  }

  private void enteredPhase() {
    synchronized (this) {
      untold.add(statusNow());
    }
    tell();
  }

  /// Reports to the watchers all changes that they have not seen. When this method returns, the
  /// watchers have seen the caller's own change, even if another thread reported it. There is one
  /// exception: if a watcher itself makes a change, this method returns at once, and the change is
  /// reported after the watcher has returned. Called without the lock of this object.
  private void tell() {
    if (telling.isHeldByCurrentThread()) {
      return;
    }
    telling.lock();
    try {
      for (VolumeStatus next = untold.poll(); next != null; next = untold.poll()) {
        callEach(watchers, next);
      }
    } finally {
      telling.unlock();
    }
  }

  /// Calls each watcher. A defect of one watcher must not prevent the calls of the other watchers,
  /// the clients' answers, or the change itself.
  private static <T> void callEach(List<Consumer<T>> watchers, T news) {
    for (Consumer<T> watcher : watchers) {
      try {
        watcher.accept(news);
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "A watcher of the volume ended in a defect", e);
      }
    }
  }

  /// Returns the revision: the name of the volume's state between two changes. The name consists of
  /// letters, digits and a hyphen, and is unique, even across restarts. Called with the lock held.
  private String revision() {
    return startName + "-" + changes;
  }

  private VolumeStatus statusNow() {
    return progress.status(
        state.phase(progress.phase()),
        calls.details(),
        calls.parts(),
        revision(),
        started,
        finished,
        state.source(),
        state.reason());
  }
}

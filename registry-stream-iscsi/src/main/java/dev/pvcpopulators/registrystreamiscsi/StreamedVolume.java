package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.iscsitarget.session.LoginStatistics;
import dev.pvcpopulators.iscsitarget.session.SessionInfo;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/// One volume: the target, its LUNs, and the images below them. Thread-safe.
final class StreamedVolume {
  private static final Logger LOG = Logger.getLogger(StreamedVolume.class);
  private static final Duration AGAIN = Duration.ofSeconds(60);
  private static final Duration AGAIN_STORED = Duration.ofSeconds(10);

  private final RegistryStreamIscsiSettings settings;
  private final Exports exports;
  private final VolumeImages images;
  private final LunDirectory directory;
  private final CommandObserver observer;
  private final LunFailures failures;
  private final ConcurrentHashMap<VolumeRequest, CompletableFuture<Creation>> additions =
      new ConcurrentHashMap<>();
  private final CountDownLatch cancelled = new CountDownLatch(1);

  /// Held while a LUN comes to be, or all go: what is removed does not come back.
  private final ReentrantLock changing = new ReentrantLock();

  /// LUNs that a client, or the settings, have had made by this process.
  private final Set<Integer> made = ConcurrentHashMap.newKeySet();

  private final ConcurrentSkipListMap<Integer, String> broken = new ConcurrentSkipListMap<>();

  /// Those of them that are tried again.
  private final ConcurrentSkipListMap<Integer, WantedLun> retried = new ConcurrentSkipListMap<>();

  StreamedVolume(
      RegistryStreamIscsiSettings settings,
      Exports exports,
      VolumeImages images,
      LunDirectory directory,
      CommandObserver observer,
      LunFailures failures) {
    this.settings = settings;
    this.exports = exports;
    this.images = images;
    this.directory = directory;
    this.observer = observer;
    this.failures = failures;
  }

  /// Adds all, at the same time, and returns when all can be used.
  void addAll(List<WantedLun> wanted) throws VolumeException, InterruptedException {
    Integer[] numbers = new Integer[wanted.size()];
    // Those that want a certain number come before those that take the next.
    for (boolean certain : new boolean[] {true, false}) {
      for (int i = 0; i < numbers.length; i++) {
        LunRequest request = wanted.get(i).request();
        if (request.lun().isPresent() == certain) {
          numbers[i] = reserve(request);
        }
      }
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> adding = new ArrayList<>();
      for (int i = 0; i < numbers.length; i++) {
        WantedLun each = wanted.get(i);
        int number = numbers[i];
        adding.add(
            threads.submit(() -> {
              addNew(each, number);
              return number;
            }));
      }
      try {
        for (Future<?> each : adding) {
          each.get();
        }
      } catch (ExecutionException e) {
        cancel();
        throw failures.of(cause(e), "Making the LUNs");
      } catch (InterruptedException e) {
        cancel();
        throw e;
      }
    }
  }

  /// Adds, in the background and as often as it takes, LUNs that the settings ask for since a
  /// restart.
  void addLater(List<LunRequest> missing) {
    for (LunRequest request : missing) {
      Thread.ofVirtual().name("lun-of-settings").start(() -> addPatiently(request));
    }
  }

  private void addPatiently(LunRequest request) {
    try {
      do {
        try {
          addNew(WantedLun.anew(request, null), reserve(request));
          return;
        } catch (VolumeException e) {
          LOG.errorf(
              "Making a LUN that the settings ask for is tried again in %d s: image=%s: %s",
              AGAIN.toSeconds(), request.image().reference(), e.failure().detail());
        }
      } while (!cancelled.await(AGAIN.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static Throwable cause(ExecutionException e) {
    return Objects.requireNonNullElse(e.getCause(), e);
  }

  private int reserve(LunRequest request) throws VolumeException {
    Optional<String> refusal = exports.refusal(request);
    if (refusal.isPresent()) {
      throw new VolumeException(
          new Failure.InvalidRequest(
              "Making a LUN of " + request.image().reference() + ": " + refusal.get()));
    }
    return exports
        .reserve(request)
        .orElseThrow(() ->
            new VolumeException(
                new Failure.VolumeNotEmpty(
                    "Making LUN "
                        + request.lun().getAsInt()
                        + " of "
                        + request.image().reference()
                        + ": expected a number that is free, found it taken")));
  }

  /// Adds a LUN to a volume that is ready. Asking twice for the same gives the same.
  Creation add(VolumeRequest request) throws VolumeException, InterruptedException {
    CompletableFuture<Creation> ours = new CompletableFuture<>();
    CompletableFuture<Creation> others = additions.putIfAbsent(request, ours);
    if (others != null) {
      try {
        return new Creation(others.get().source(), false);
      } catch (ExecutionException e) {
        throw failures.of(cause(e), "Adding a LUN");
      }
    }
    try {
      Creation creation = addOnce(request);
      ours.complete(creation);
      return creation;
    } catch (VolumeException | RuntimeException | Error e) {
      ours.completeExceptionally(e);
      throw e;
    } finally {
      additions.remove(request, ours);
    }
  }

  private Creation addOnce(VolumeRequest request) throws VolumeException {
    if (request.isEmpty()) {
      for (ExportedLun lun : List.copyOf(exports.luns())) {
        if (lun.isFailed() && lun.record().request() == null) {
          withdraw(lun);
          addNew(WantedLun.anew(lun.request(), null), reserve(lun.request()));
        }
      }
      return new Creation(source(first()), false);
    }
    for (WantedLun each : retried.values()) {
      if (request.equals(each.by())) {
        try {
          retry(each.before().lun());
        } catch (IOException e) {
          throw failures.of(e, "Exporting LUN " + each.before().lun() + " again");
        }
      }
    }
    Optional<ExportedLun> there = of(request);
    if (there.isPresent() && !there.get().isFailed()) {
      return new Creation(source(there.get().number()), false);
    }
    there.ifPresent(this::withdraw);
    LunRequest asked = LunRequest.of(settings, request);
    int number = reserve(asked);
    addNew(WantedLun.anew(asked, request), number);
    return new Creation(source(number), true);
  }

  /// Takes a LUN away that failed. What was written to it stays under its number until the volume
  /// is deleted.
  private void withdraw(ExportedLun lun) {
    changing.lock();
    try {
      if (isCancelled() || !exports.luns().contains(lun)) {
        return;
      }
      exports.withdraw(lun);
      if (directory.wasWritten(lun.number())) {
        broken.put(
            lun.number(), Objects.requireNonNullElse(lun.image().reason(), "its image was lost"));
      } else {
        directory.remove(lun.number());
        exports.giveBack(lun.number());
      }
    } catch (IOException e) {
      LOG.errorf("Taking away a LUN that failed: lun=%d: %s", lun.number(), Reason.of(e));
      broken.put(lun.number(), Reason.of(e));
    } finally {
      changing.unlock();
    }
    if (LunMedia.writesToImage(lun.request())) {
      images.disclaim(lun.image());
    }
    images.release(lun.image());
  }

  /// Whether there is a LUN that a client has asked for by the same fields.
  boolean has(VolumeRequest request) {
    return of(request).isPresent();
  }

  /// The number of the LUN that a client has asked for.
  int number(VolumeRequest request) {
    return of(request).orElseThrow().number();
  }

  private Optional<ExportedLun> of(VolumeRequest request) {
    return exports.luns().stream().filter(it -> request.equals(it.record().request())).findFirst();
  }

  private void addNew(WantedLun wanted, int number) throws VolumeException {
    LunRequest request = wanted.request();
    CachedImage image = null;
    boolean claimed = false;
    boolean added = false;
    try {
      image = images.obtain(request);
      claimed = images.claim(request, image);
      images.await(image);
      publish(wanted, number, image);
      added = true;
    } catch (IOException e) {
      throw isCancelled()
          ? new VolumeException(new Failure.Cancelled("The volume was deleted meanwhile"), e)
          : failures.of(e, "Reading " + request.image().reference());
    } finally {
      if (!added) {
        exports.giveBack(number);
        if (claimed && image != null) {
          images.disclaim(image);
        }
        images.release(image);
      }
    }
  }

  private boolean isCancelled() {
    return cancelled.getCount() == 0;
  }

  /// Makes the LUN, unless the volume has gone meanwhile.
  private void publish(WantedLun wanted, int number, CachedImage image) throws IOException {
    changing.lock();
    try {
      if (isCancelled()) {
        throw new IOException("The volume was deleted");
      }
      made.add(number);
      LunRequest request = wanted.request();
      LunRecord record = LunRecord.anew(number, image.key(), request.words(), wanted.by());
      Path home = directory.create(number);
      ExportedLun lun = LunMedia.export(record, request, image, home, settings, observer);
      boolean noted = false;
      try {
        directory.write(record);
        noted = true;
      } finally {
        if (!noted) {
          lun.close();
        }
      }
      offer(lun);
    } finally {
      changing.unlock();
    }
  }

  private void offer(ExportedLun lun) {
    exports.add(lun);
    lun.image().onDiscredit(e -> discredit(lun, Reason.of(e)));
    if (lun.request().copy() == CopyMode.CLONE
        && lun.record().cloned() == null
        && lun.unit().medium() instanceof OverlayMedium overlay) {
      LunClone clone =
          new LunClone(lun, overlay, cancelled, settings.arrivalTimeout(), this::noteClone);
      Thread.ofVirtual().name("clone-lun-" + lun.number()).start(clone);
    }
  }

  /// The image of a LUN was not what it should be.
  private void discredit(ExportedLun lun, String reason) {
    lun.fail(reason);
    exports.dropSessions(lun, reason);
    changing.lock();
    try {
      // Blocks that were written in part, or copied, have bytes of that image beside them.
      if (!isCancelled() && directory.wasWritten(lun.number())) {
        directory.write(lun.record().discreditedBy(reason));
      }
    } catch (IOException e) {
      LOG.errorf("Noting that the LUN cannot be trusted: lun=%d: %s", lun.number(), Reason.of(e));
    } finally {
      changing.unlock();
    }
  }

  private void noteClone(ExportedLun lun, LunClone.End end) throws IOException {
    switch (end) {
      case WHOLE -> {
        changing.lock();
        try {
          if (isCancelled()) {
            throw new IOException("The volume was deleted");
          }
          ImageRecord source = Objects.requireNonNull(lun.image().description());
          directory.write(lun.record().clonedFrom(source));
        } finally {
          changing.unlock();
        }
      }
      case APART -> images.release(lun.image());
    }
  }

  /// Exports what a stopped service exported; pulls that were not complete begin again. What cannot
  /// be exported again stays as it is, and keeps its number: [#retryAgain] tries it once more.
  void addAgain(Leftovers left) {
    left.kept().forEach(exports::reserve);
    broken.putAll(left.broken());
    for (WantedLun each : left.again()) {
      int number = each.before().lun();
      exports.reserve(number);
      Optional<String> refusal = exports.refusal(each.request());
      if (refusal.isPresent()) {
        LOG.errorf("Not exported again, and kept: lun=%d: %s", number, refusal.get());
        broken.put(number, refusal.get());
        continue;
      }
      try {
        addAgain(each);
      } catch (IOException | IllegalArgumentException e) {
        LOG.errorf("Not exported again, and kept: lun=%d: %s", number, Reason.of(e));
        broken.put(number, Reason.of(e));
        retried.put(number, each);
      }
    }
  }

  /// Tries, in the background and as often as it takes, to export what [#addAgain] could not: what
  /// was wrong may pass, such as storage that was full or not there.
  void retryAgain() {
    if (!retried.isEmpty()) {
      Thread.ofVirtual().name("luns-again").start(this::retryPatiently);
    }
  }

  private void retryPatiently() {
    try {
      while (!retried.isEmpty()
          && !cancelled.await(AGAIN_STORED.toMillis(), TimeUnit.MILLISECONDS)) {
        for (int number : retried.keySet()) {
          try {
            retry(number);
          } catch (IOException | IllegalArgumentException e) {
            String reason = Reason.of(e);
            if (!reason.equals(broken.put(number, reason))) {
              LOG.errorf("Still not exported again: lun=%d: %s", number, reason);
            }
          }
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void retry(int number) throws IOException {
    changing.lock();
    try {
      WantedLun wanted = retried.get(number);
      if (wanted == null || isCancelled()) {
        return;
      }
      addAgain(wanted);
      retried.remove(number);
      broken.remove(number);
    } finally {
      changing.unlock();
    }
  }

  /// LUNs that are asked for and could not be exported again, and why.
  SortedMap<Integer, String> broken() {
    return broken;
  }

  private void addAgain(WantedLun wanted) throws IOException {
    LunRequest request = wanted.request();
    LunRecord record = wanted.before();
    ImageRecord cloned = record.cloned();
    Path home = directory.home(record.lun());
    CachedImage image =
        cloned != null
            ? CachedImage.ofClone(cloned, home)
            : images
                .reopen(record.image(), request)
                .orElseThrow(() -> new IOException("its image is not there any more"));
    ExportedLun lun = null;
    try {
      lun = LunMedia.export(record, request, image, home, settings, observer);
    } finally {
      if (lun == null && cloned == null) {
        images.putBack(image);
      }
    }
    images.claimed(request, image);
    note(wanted, record);
    offer(lun);
  }

  /// Notes what a LUN is by now. Where there is no room for that it is exported all the same: the
  /// document that is there tells of the same disk.
  private void note(WantedLun wanted, LunRecord record) {
    if (record.equals(wanted.earlier())) {
      return;
    }
    try {
      directory.write(record);
    } catch (IOException e) {
      LOG.warnf("Noting how the LUN is exported: lun=%d: %s", record.lun(), Reason.of(e));
    }
  }

  /// Lets initiators in.
  void listen() throws IOException {
    exports.listen();
  }

  /// Waits for all images to be complete.
  void awaitComplete() throws VolumeException {
    for (ExportedLun lun : exports.luns()) {
      try {
        if (lun.record().cloned() == null) {
          images.await(lun.image());
        }
      } catch (IOException e) {
        throw failures.of(e, "Reading " + lun.request().image().reference());
      }
    }
  }

  /// The number of the LUN that stands for all, be it one that cannot be used: nobody takes another
  /// for it.
  int first() {
    int exported =
        exports.luns().stream().mapToInt(ExportedLun::number).findFirst().orElse(Integer.MAX_VALUE);
    return broken.isEmpty() ? exported : Math.min(exported, broken.firstKey());
  }

  Recovered recovered() {
    int first = first();
    return broken.containsKey(first)
        ? Recovered.of(source(first))
        : new Recovered(source(first), null, -1, digest(first), null, length(first));
  }

  IscsiSource source(int lun) {
    return exports.source(lun);
  }

  String digest(int lun) {
    return find(lun).image().source();
  }

  long length(int lun) {
    return find(lun).length();
  }

  private ExportedLun find(int lun) {
    return exports.luns().stream().filter(it -> it.number() == lun).findFirst().orElseThrow();
  }

  Collection<ExportedLun> luns() {
    return exports.luns();
  }

  /// The LUNs, those that cannot be used first, and then the layers that are on their way to them.
  List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    broken
        .keySet()
        .forEach(lun ->
            parts.add(new Part(Part.Kind.LUN, Integer.toString(lun), Part.State.FAILED, 0, -1)));
    exports.luns().forEach(lun -> parts.add(lun.part()));
    parts.addAll(images.layers());
    return parts;
  }

  List<SessionInfo> sessions() {
    return exports.sessions();
  }

  LoginStatistics logins() {
    return exports.logins();
  }

  /// Ends what is being made: transfers end with an exception.
  void cancel() {
    cancelled.countDown();
    images.cancel();
  }

  /// Ends all use; what is stored stays for the next start.
  void close() {
    cancel();
    changing.lock();
    try {
      exports.close();
      images.close();
    } finally {
      changing.unlock();
    }
  }

  /// Ends all use and removes the LUNs that were made by this process: they come to nothing.
  void discard() throws VolumeException {
    close();
    try {
      for (int lun : made) {
        directory.remove(lun);
      }
    } catch (IOException e) {
      throw failures.of(e, "Removing the LUNs");
    }
  }

  /// Ends all use and removes what is stored.
  void delete() throws VolumeException {
    close();
    try {
      directory.removeAll();
      images.removeAll();
    } catch (IOException e) {
      throw failures.of(e, "Removing the LUNs");
    }
  }
}

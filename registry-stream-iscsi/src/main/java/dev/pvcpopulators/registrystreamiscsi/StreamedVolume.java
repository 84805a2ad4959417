package dev.pvcpopulators.registrystreamiscsi;

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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jboss.logging.Logger;

/// One volume: the target, its LUNs, and their images. Thread-safe.
final class StreamedVolume {
  private static final Logger LOG = Logger.getLogger(StreamedVolume.class);
  private static final Duration AGAIN = Duration.ofSeconds(60);

  private final RegistryStreamIscsiSettings settings;
  private final Exports exports;
  private final VolumeImages images;
  private final LunDirectory directory;
  private final LunPublication publication;
  private final StoredLuns stored;
  private final LunFailures failures;
  private final ConcurrentHashMap<VolumeRequest, CompletableFuture<Creation>> additions =
      new ConcurrentHashMap<>();

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
    this.publication = new LunPublication(settings, exports, images, directory, observer);
    this.stored = new StoredLuns(exports, publication);
    this.failures = failures;
  }

  /// Creates LUNs concurrently, and returns when all can be used.
  void createAll(List<WantedLun> wanted) throws VolumeException, InterruptedException {
    Integer[] numbers = new Integer[wanted.size()];
    // LUNs with a requested number come before those that take the next free one.
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
              create(each, number);
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

  /// Creates, in the background and with retries, LUNs that were added to the settings before a
  /// restart.
  void createInBackground(List<LunRequest> missing) {
    for (LunRequest request : missing) {
      Thread.ofVirtual().name("lun-of-settings").start(() -> createRetrying(request));
    }
  }

  private void createRetrying(LunRequest request) {
    try {
      do {
        try {
          create(WantedLun.anew(request, null), reserve(request));
          return;
        } catch (VolumeException e) {
          LOG.errorf(
              "Cannot make a LUN of the settings; retrying in %d s: image=%s: %s",
              AGAIN.toSeconds(), request.image().reference(), e.failure().detail());
        }
      } while (!publication.awaitCancelled(AGAIN));
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

  /// Adds a LUN to a volume that is ready. Idempotent.
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
      Creation creation = findOrCreate(request);
      ours.complete(creation);
      return creation;
    } catch (VolumeException | RuntimeException | Error e) {
      ours.completeExceptionally(e);
      throw e;
    } finally {
      additions.remove(request, ours);
    }
  }

  private Creation findOrCreate(VolumeRequest request) throws VolumeException {
    if (request.isEmpty()) {
      for (ExportedLun lun : List.copyOf(exports.luns())) {
        if (lun.isFailed() && lun.record().request() == null) {
          publication.withdraw(lun);
          create(WantedLun.anew(lun.request(), null), reserve(lun.request()));
        }
      }
      return new Creation(source(first()), false);
    }
    try {
      stored.retry(request);
    } catch (IOException e) {
      throw failures.of(e, "Exporting a LUN again");
    }
    Optional<ExportedLun> there = of(request);
    if (there.isPresent() && !there.get().isFailed()) {
      return new Creation(source(there.get().number()), false);
    }
    there.ifPresent(publication::withdraw);
    LunRequest asked = LunRequest.of(settings, request);
    int number = reserve(asked);
    create(WantedLun.anew(asked, request), number);
    return new Creation(source(number), true);
  }

  /// Returns whether there is a LUN that a client requested with the same fields.
  boolean has(VolumeRequest request) {
    return of(request).isPresent();
  }

  /// Returns the number of the LUN that a client requested.
  int number(VolumeRequest request) {
    return of(request).orElseThrow().number();
  }

  private Optional<ExportedLun> of(VolumeRequest request) {
    return exports.luns().stream().filter(it -> request.equals(it.record().request())).findFirst();
  }

  private void create(WantedLun wanted, int number) throws VolumeException {
    LunRequest request = wanted.request();
    CachedImage image = null;
    boolean claimed = false;
    boolean added = false;
    try {
      image = images.obtain(request);
      claimed = images.claim(request, image);
      images.await(image);
      publication.publish(wanted, number, image);
      added = true;
    } catch (IOException e) {
      throw publication.isCancelled()
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

  /// Returns the LUNs left by a stopped service.
  StoredLuns stored() {
    return stored;
  }

  /// Returns the requested LUNs that cannot be used, with the reasons.
  SortedMap<Integer, String> broken() {
    return publication.broken();
  }

  /// Starts accepting initiators.
  void listen() throws IOException {
    exports.listen();
  }

  /// Waits until all images are complete.
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

  /// Returns the number of the LUN that represents the volume, also if it cannot be used, so that
  /// no other LUN is mistaken for it.
  int first() {
    int exported =
        exports.luns().stream().mapToInt(ExportedLun::number).findFirst().orElse(Integer.MAX_VALUE);
    return broken().isEmpty() ? exported : Math.min(exported, broken().firstKey());
  }

  Recovered recovered() {
    int first = first();
    return broken().containsKey(first)
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

  /// Returns the LUNs, unusable ones first, then the layers that are being pulled.
  List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    broken()
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

  /// Cancels running work: transfers end with an exception.
  void cancel() {
    publication.cancel();
    images.cancel();
  }

  /// Closes the volume; stored data stays for the next start.
  void close() {
    cancel();
    publication.exclusively(() -> {
      exports.close();
      images.close();
    });
  }

  /// Closes the volume and removes the LUNs that this process created.
  void discard() throws VolumeException {
    close();
    try {
      for (int lun : publication.created()) {
        directory.remove(lun);
      }
    } catch (IOException e) {
      throw failures.of(e, "Removing the LUNs");
    }
  }

  /// Closes the volume and removes its stored data.
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

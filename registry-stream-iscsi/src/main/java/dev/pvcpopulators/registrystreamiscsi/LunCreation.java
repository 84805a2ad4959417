package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.registrystreamiscsi.export.Exports;
import dev.pvcpopulators.registrystreamiscsi.export.LunPublication;
import dev.pvcpopulators.registrystreamiscsi.export.StoredLuns;
import dev.pvcpopulators.registrystreamiscsi.image.CachedImage;
import dev.pvcpopulators.registrystreamiscsi.image.VolumeImages;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.WantedLun;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jboss.logging.Logger;

/// Creates the LUNs of one volume: the LUNs that the settings request, and the LUNs that clients
/// add. Thread-safe.
final class LunCreation {
  private static final Logger LOG = Logger.getLogger(LunCreation.class);
  private static final Duration AGAIN = Duration.ofSeconds(60);

  private final RegistryStreamIscsiSettings settings;
  private final Exports exports;
  private final VolumeImages images;
  private final LunPublication publication;
  private final StoredLuns stored;
  private final LunFailures failures;
  private final ConcurrentHashMap<VolumeRequest, CompletableFuture<Creation>> additions =
      new ConcurrentHashMap<>();

  LunCreation(
      RegistryStreamIscsiSettings settings,
      Exports exports,
      VolumeImages images,
      LunPublication publication,
      StoredLuns stored,
      LunFailures failures) {
    this.settings = settings;
    this.exports = exports;
    this.images = images;
    this.publication = publication;
    this.stored = stored;
    this.failures = failures;
  }

  /// Creates LUNs concurrently, and returns when all of them can be used.
  ///
  /// @throws VolumeException if a LUN cannot be created; the creation of the other LUNs is then
  ///   cancelled
  void createAll(List<WantedLun> wanted) throws VolumeException, InterruptedException {
    Integer[] numbers = new Integer[wanted.size()];
    // LUNs with a requested number reserve that number before the other LUNs take the lowest free
    // numbers.
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

  /// Creates, in the background, LUNs that the settings request. A failed creation is retried until
  /// it succeeds or [#cancel] is called.
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
                    "Making LUN %s of %s: expected a number that is free, found it taken"
                        .formatted(request.lun().getAsInt(), request.image().reference()))));
  }

  /// Adds a LUN to a volume that is ready. If an earlier equal request has added a LUN and that LUN
  /// has not failed, returns the [VolumeSource] of that LUN instead. Equal requests at the same
  /// time share one creation. For an empty request, recreates those LUNs of the settings that have
  /// failed, and returns the [VolumeSource] of the LUN with the lowest number.
  ///
  /// @throws VolumeException with `VolumeNotEmpty` if the requested number is taken, for example by
  ///   a failed LUN that was written to; for an empty request, also if the LUN with the lowest
  ///   number cannot be used
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
      return new Creation(first(), false);
    }
    try {
      stored.retry(request);
    } catch (IOException e) {
      throw failures.of(e, "Exporting a LUN again");
    }
    Optional<ExportedLun> there = exports.requestedBy(request);
    if (there.isPresent() && !there.get().isFailed()) {
      return new Creation(exports.source(there.get().number()), false);
    }
    there.ifPresent(publication::withdraw);
    LunRequest asked = LunRequest.of(settings, request);
    int number = reserve(asked);
    create(WantedLun.anew(asked, request), number);
    return new Creation(exports.source(number), true);
  }

  /// Returns the [VolumeSource] of the LUN with the lowest number.
  ///
  /// @throws VolumeException if the LUN is not exported, and its export is not retried
  private VolumeSource first() throws VolumeException {
    int lun = publication.first();
    boolean retried = stored.isRetried(lun);
    String reason = publication.broken().get(lun);
    if (reason != null && !retried) {
      throw new VolumeException(
          new Failure.VolumeNotEmpty(
              "Finding LUN %d: expected it exported, found that it cannot be used: %s;"
                      .formatted(lun, reason)
                  + " deleting the volume removes it, with what was written to it"));
    }
    return exports.source(lun);
  }

  private void create(WantedLun wanted, int number) throws VolumeException {
    LunRequest request = wanted.request();
    CachedImage image = null;
    boolean claimed = false;
    boolean added = false;
    try {
      image = images.obtain(request.disk());
      if (request.writesToImage()) {
        images.claim(image, request.disk());
        claimed = true;
      }
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

  /// Cancels running work. Running transfers end with an exception.
  void cancel() {
    publication.cancel();
    images.cancel();
  }
}

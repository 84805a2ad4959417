package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.medium.OverlayMedium;
import dev.pvcpopulators.iscsitarget.session.SessionInfo;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.Recovered;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// One volume: the target, its LUNs, and the images below them. Thread-safe.
final class StreamedVolume {
  static final String RECORD = "lun.json";

  private static final Logger LOG = Logger.getLogger(StreamedVolume.class);

  private final RegistryStreamIscsiSettings settings;
  private final ImagePull.Environment environment;
  private final Exports exports;
  private final ImageCache cache;
  private final Path directory;
  private final boolean whenComplete;
  private final Set<ImageSource> opening = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<VolumeRequest, CompletableFuture<Creation>> additions =
      new ConcurrentHashMap<>();
  private volatile boolean cancelled;

  /// A LUN that is wanted.
  ///
  /// @param by the client's request, null where the settings ask for it
  /// @param earlier what it was before a restart, null where it is new
  record Wanted(LunRequest request, @Nullable VolumeRequest by, @Nullable LunRecord earlier) {
    /// The LUNs of the settings, and that of a request.
    ///
    /// @throws VolumeException with [Failure.InvalidRequest] where there is none
    static List<Wanted> of(RegistryStreamIscsiSettings settings, VolumeRequest request)
        throws VolumeException {
      List<Wanted> wanted = new ArrayList<>();
      for (LunRequest configured : configured(settings)) {
        wanted.add(new Wanted(configured, null, null));
      }
      if (wanted.isEmpty() || !request.isEmpty()) {
        wanted.add(new Wanted(LunRequest.of(settings, request), request, null));
      }
      return wanted;
    }

    private static List<LunRequest> configured(RegistryStreamIscsiSettings settings)
        throws VolumeException {
      List<LunRequest> configured = new ArrayList<>();
      if (settings.single().image().isPresent()) {
        configured.add(LunRequest.of(settings, settings.single()));
      }
      for (RegistryStreamIscsiSettings.Lun lun : settings.luns().orElse(List.of())) {
        configured.add(LunRequest.of(settings, lun));
      }
      return configured;
    }

    /// What a stopped service exported, where the settings ask for the same LUNs still.
    static List<Wanted> again(RegistryStreamIscsiSettings settings, List<LunRecord> records)
        throws VolumeException {
      List<LunRequest> missing = new ArrayList<>(configured(settings));
      List<Wanted> wanted = new ArrayList<>();
      for (LunRecord record : records) {
        VolumeRequest by = record.request();
        if (by != null) {
          wanted.add(new Wanted(LunRequest.of(settings, by), by, record));
          continue;
        }
        Optional<LunRequest> same =
            missing.stream().filter(it -> it.words().equals(record.words())).findFirst();
        if (same.isPresent()) {
          missing.remove(same.get());
          wanted.add(new Wanted(same.get(), null, record));
        }
      }
      return missing.isEmpty() ? wanted : List.of();
    }

    LunRecord before() {
      LunRecord record = earlier;
      if (record == null) {
        throw new IllegalStateException("A new LUN was nothing before");
      }
      return record;
    }
  }

  /// @param directory of the LUNs
  /// @param whenComplete whether a LUN is ready only when its image is complete, whatever the
  ///   settings say
  StreamedVolume(
      RegistryStreamIscsiSettings settings,
      ImagePull.Environment environment,
      Exports exports,
      ImageCache cache,
      Path directory,
      boolean whenComplete) {
    this.settings = settings;
    this.environment = environment;
    this.exports = exports;
    this.cache = cache;
    this.directory = directory;
    this.whenComplete = whenComplete;
  }

  /// Adds all, at the same time, and returns when all can be used.
  ///
  /// @param request that asked for the volume
  /// @return the number of the LUN that answers the request: its own, else the first
  int addAll(List<Wanted> wanted, VolumeRequest request)
      throws VolumeException, InterruptedException {
    List<Integer> numbers = new ArrayList<>();
    for (Wanted each : wanted) {
      numbers.add(reserve(each.request()));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> adding = new ArrayList<>();
      for (int i = 0; i < wanted.size(); i++) {
        Wanted each = wanted.get(i);
        int number = numbers.get(i);
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
        throw LunFailures.of(cause(e), "Making the LUNs");
      } catch (InterruptedException e) {
        cancel();
        throw e;
      }
    }
    return request.isEmpty() ? numbers.getFirst() : numbers.getLast();
  }

  private static Throwable cause(ExecutionException e) {
    return Objects.requireNonNullElse(e.getCause(), e);
  }

  private int reserve(LunRequest request) throws VolumeException {
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
    Optional<ExportedLun> there =
        exports.luns().stream().filter(it -> request.equals(it.record().request())).findFirst();
    if (there.isPresent()) {
      return new Creation(source(there.get().number()), false);
    }
    CompletableFuture<Creation> ours = new CompletableFuture<>();
    CompletableFuture<Creation> others = additions.putIfAbsent(request, ours);
    if (others != null) {
      try {
        return others.get();
      } catch (ExecutionException e) {
        throw LunFailures.of(cause(e), "Adding a LUN");
      }
    }
    try {
      LunRequest asked = LunRequest.of(settings, request);
      int number = reserve(asked);
      addNew(new Wanted(asked, request, null), number);
      Creation made = new Creation(source(number), true);
      ours.complete(made);
      return made;
    } catch (VolumeException | RuntimeException e) {
      ours.completeExceptionally(e);
      throw e;
    } finally {
      additions.remove(request, ours);
    }
  }

  private void addNew(Wanted wanted, int number) throws VolumeException {
    LunRequest request = wanted.request();
    CachedImage image = null;
    boolean added = false;
    try {
      image = obtain(request);
      refuseSharedWriting(request, image);
      await(image);
      LunRecord record =
          new LunRecord(
              number,
              image.key(),
              UUID.randomUUID().toString(),
              request.words(),
              wanted.by(),
              null);
      Path home = directory.resolve(Integer.toString(number));
      Documents.remove(home);
      Files.createDirectories(home);
      ExportedLun lun = LunMedia.export(record, request, image, home, settings);
      Documents.write(home, RECORD, record.document());
      offer(lun);
      added = true;
      startCloning(lun);
    } catch (IOException e) {
      throw cancelled
          ? new VolumeException(new Failure.Cancelled("The volume was deleted meanwhile"), e)
          : LunFailures.of(e, "Reading " + request.image().reference());
    } finally {
      if (!added) {
        exports.giveBack(number);
        release(image);
      }
    }
  }

  private CachedImage obtain(LunRequest request) throws IOException, VolumeException {
    ImageSource source = environment.registries().open(request.image());
    opening.add(source);
    boolean handed = false;
    try {
      if (cancelled) {
        throw new IOException("The volume was deleted");
      }
      Image image = source.resolve(request.choice());
      handed = true;
      return cache.obtain(request, image, source);
    } finally {
      opening.remove(source);
      if (!handed) {
        source.close();
      }
    }
  }

  /// Waits until the image can be used as the settings say.
  private void await(CachedImage image) throws IOException {
    boolean complete =
        whenComplete
            || settings.verifyBeforeExport()
            || settings.ready() == RegistryStreamIscsiSettings.Ready.COMPLETE;
    try {
      var _ = image.opened().get();
      if (complete) {
        var _ = image.completed().get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException known) {
        throw known;
      }
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Waiting for the image was interrupted", e);
    }
  }

  /// Two LUNs that write to one image's own copy would mix what they write.
  private void refuseSharedWriting(LunRequest request, CachedImage image) throws VolumeException {
    boolean taken =
        LunMedia.writesToImage(request)
            && exports.luns().stream()
                .anyMatch(it -> it.image() == image && LunMedia.writesToImage(it.request()));
    if (taken) {
      throw new VolumeException(
          new Failure.InvalidRequest(
              "Making a LUN of "
                  + request.image().reference()
                  + ": expected a copy mode other than none, or read-shared, since another LUN"
                  + " writes to the same image; found copy mode none"));
    }
  }

  private void offer(ExportedLun lun) {
    exports.add(lun);
    lun.image()
        .onDiscredit(e -> {
          lun.fail(String.valueOf(e.getMessage()));
          exports.dropSessions(lun, String.valueOf(e.getMessage()));
        });
  }

  /// A clone is copied in the background, and lets go of its image when it has all of it.
  private void startCloning(ExportedLun lun) {
    if (lun.request().copy() == CopyMode.CLONE
        && lun.record().cloned() == null
        && lun.unit().medium() instanceof OverlayMedium overlay) {
      Thread.ofVirtual().name("clone-lun-" + lun.number()).start(() -> clone(lun, overlay));
    }
  }

  private void clone(ExportedLun lun, OverlayMedium overlay) {
    try {
      var _ = lun.image().completed().get();
      overlay.cloneRest((_, _) -> {});
      ImageRecord source = Objects.requireNonNull(lun.image().description());
      Documents.write(
          directory.resolve(Integer.toString(lun.number())),
          RECORD,
          lun.record().clonedFrom(source).document());
      overlay.detachBase();
      LOG.infof("The LUN is a full copy: lun=%d bytes=%d", lun.number(), lun.length());
      // Commands that began before may still read from the image.
      Thread.sleep(settings.arrivalTimeout());
      release(lun.image());
    } catch (IOException | ExecutionException e) {
      if (!cancelled) {
        LOG.errorf(e, "Cloning the image: lun=%d", lun.number());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void release(@Nullable CachedImage image) {
    if (image != null) {
      try {
        cache.release(image);
      } catch (IOException e) {
        LOG.warn("Removing an image: key=" + image.key(), e);
      }
    }
  }

  /// Exports what a stopped service exported; pulls that were not complete begin again.
  ///
  /// @return false where one of them cannot be exported again
  boolean addAgain(List<Wanted> wanted) throws IOException, VolumeException {
    for (Wanted each : wanted) {
      LunRecord record = each.before();
      Path home = directory.resolve(Integer.toString(record.lun()));
      ImageRecord cloned = record.cloned();
      Optional<CachedImage> image =
          cloned != null
              ? Optional.of(CachedImage.ofClone(cloned, home))
              : cache.reopen(record.image(), each.request());
      if (image.isEmpty()) {
        LOG.warnf("Not exported again, its image is not there: lun=%d", record.lun());
        return false;
      }
      ExportedLun lun = LunMedia.export(record, each.request(), image.get(), home, settings);
      offer(lun);
      startCloning(lun);
    }
    return true;
  }

  Recovered recovered() {
    ExportedLun first = exports.luns().iterator().next();
    return new Recovered(
        source(first.number()), null, -1, first.image().source(), null, first.length());
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

  List<SessionInfo> sessions() {
    return exports.sessions();
  }

  /// Ends what is being made: transfers end with an exception.
  void cancel() {
    cancelled = true;
    for (ImageSource source : opening) {
      try {
        source.close();
      } catch (IOException e) {
        LOG.warn("Cancelling: a source does not close", e);
      }
    }
    cache.cancel();
  }

  /// Ends all use; what is stored stays for the next start.
  void close() {
    cancel();
    exports.close();
    cache.close();
  }

  /// Ends all use and removes what is stored.
  void delete() throws VolumeException {
    close();
    try {
      Documents.removeAllBut(directory, List.of());
      cache.removeAll();
    } catch (IOException e) {
      throw LunFailures.of(e, "Removing the LUNs");
    }
  }
}

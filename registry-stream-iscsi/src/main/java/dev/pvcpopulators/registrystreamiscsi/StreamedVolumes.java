package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.registrystreamiscsi.export.Exports;
import dev.pvcpopulators.registrystreamiscsi.image.ImagePull;
import dev.pvcpopulators.registrystreamiscsi.image.VolumeImages;
import dev.pvcpopulators.registrystreamiscsi.lun.Leftovers;
import dev.pvcpopulators.registrystreamiscsi.lun.LunDirectory;
import dev.pvcpopulators.registrystreamiscsi.settings.ChapAccount;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.PortalAddress;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.registrystreamiscsi.storage.DirectoryLock;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.eclipse.microprofile.config.Config;

/// Opens volumes in the directory POPULATOR_TARGET: new volumes, and volumes of a stopped service.
///
/// | Path           | Holds                                         |
/// |----------------|-----------------------------------------------|
/// | `images/KEY/`  | a pulled disk ([dev.pvcpopulators.registrystreamiscsi.image.CachedImage]) |
/// | `luns/NUMBER/` | a LUN and its written data ([LunDirectory])   |
@Singleton
final class StreamedVolumes {
  private static final long MEBIBYTE = 1 << 20;

  /// The maximum number of pulls that search for their disk's header at the same time. This number
  /// is high, so that pulls from a slow registry do not block other pulls.
  private static final int HEADERS = 64;

  /// The maximum time to wait for the end of the previous process. This time is longer than the
  /// termination grace period in the Kubernetes manifests.
  private static final Duration PREDECESSOR_ENDS = Duration.ofSeconds(70);

  private final PopulatorSettings shared;
  private final RegistryStreamIscsiSettings settings;
  private final Config config;
  private final CommandObserver observer;
  private final LunFailures failures;
  private final DirectoryLock lock = new DirectoryLock();

  StreamedVolumes(
      PopulatorSettings shared,
      RegistryStreamIscsiSettings settings,
      Config config,
      CommandObserver observer) {
    this.shared = shared;
    this.settings = settings;
    this.config = config;
    this.observer = observer;
    this.failures = new LunFailures(shared.target());
  }

  /// Sets the watcher that is notified when a usable LUN fails.
  void watchFailures(Consumer<Failure> watcher) {
    failures.watch(watcher);
  }

  /// Opens a volume. Exports again the LUNs that a stopped service has left: those that clients
  /// have requested, and those that the settings still contain. In a service the target listens; in
  /// a job it does not.
  ///
  /// @throws VolumeException if one of these LUNs cannot be exported, or the target cannot be
  ///   opened
  Begun begin(Progress progress) throws VolumeException {
    try {
      Leftovers left = leftovers(Duration.ZERO);
      return new Begun(open(left, progress, true), left.missing());
    } catch (IOException e) {
      throw failures.of(e, "Opening the target");
    }
  }

  /// Opens a volume with the LUNs of a stopped service.
  ///
  /// @param whole whether to fail if one of these LUNs cannot be used
  private StreamedVolume open(Leftovers left, Progress progress, boolean whole)
      throws IOException, VolumeException {
    StreamedVolume volume = volume(exports(), progress);
    try {
      volume.stored().exportAgain(left);
      SortedMap<Integer, String> broken = volume.publication().broken();
      if (whole && !broken.isEmpty()) {
        throw new VolumeException(
            new Failure.VolumeNotEmpty(
                "Exporting LUN %d again: expected it as it was, found that it cannot be used: %s;"
                        .formatted(broken.firstKey(), broken.get(broken.firstKey()))
                    + " deleting the volume removes it, with what was written to it"));
      }
      if (!isJob()) {
        volume.exports().listen();
      }
      return volume;
    } catch (Throwable e) {
      volume.close();
      throw e;
    }
  }

  /// An opened volume.
  ///
  /// @param missing LUNs of the settings that do not exist yet
  record Begun(StreamedVolume volume, List<LunRequest> missing) {}

  /// Locks the directory POPULATOR_TARGET, and reads the LUNs of a stopped service. Removes LUNs
  /// that are no longer requested and whose overlays have no data. Also removes files that belong
  /// to no LUN.
  ///
  /// @param patience the longest time to wait for the end of another process that uses the
  ///   directory
  /// @throws VolumeException if the directory does not exist or another process uses it, or if the
  ///   settings are invalid
  private Leftovers leftovers(Duration patience) throws IOException, VolumeException {
    Path target = shared.target();
    if (!Files.isDirectory(target)) {
      throw new VolumeException(
          new Failure.InvalidRequest(
              "Reading POPULATOR_TARGET: expected a directory for images and LUNs, found none at "
                  + target));
    }
    lock.take(target, patience);
    LunDirectory luns = luns();
    Leftovers left = Leftovers.of(settings, luns);
    Optional<Set<String>> images = left.images(luns);
    if (images.isPresent()) {
      Documents.removeAllBut(images(), List.copyOf(images.get()));
    }
    return left;
  }

  private Exports exports() throws IOException, VolumeException {
    Optional<ChapAccount> own =
        ChapAccount.of(settings.mutual().user(), settings.mutual().secretFile());
    return new Exports(settings, PortalAddress.of(settings, config), own, isOpenAllowed());
  }

  /// Returns whether a LUN may admit every initiator. In a job, the result is true, because a job
  /// does not listen. If a service exports the job's LUNs afterwards, that service checks their
  /// restrictions.
  private boolean isOpenAllowed() {
    return isJob() || settings.auth().isPresent() || PortalAddress.isLoopback(settings, config);
  }

  private StreamedVolume volume(Exports exports, Progress progress) {
    AtomicLong total = new AtomicLong();
    ImagePull.Environment environment =
        new ImagePull.Environment(
            new RegistryAccess(settings, "REGISTRY_STREAM_ISCSI_"),
            new Semaphore(HEADERS, true),
            new Semaphore(settings.maxPulls(), true),
            settings.farReadMebibytes() * MEBIBYTE,
            settings.giveUpAfter(),
            bytes -> progress.total(total.addAndGet(bytes)),
            progress::received,
            progress::written);
    VolumeImages ofVolume =
        new VolumeImages(
            environment,
            images(),
            isJob()
                || settings.verifyBeforeExport()
                || settings.ready() == RegistryStreamIscsiSettings.Ready.COMPLETE);
    return StreamedVolume.of(settings, exports, ofVolume, luns(), observer, failures);
  }

  private Path images() {
    return shared.target().resolve("images");
  }

  private LunDirectory luns() {
    return new LunDirectory(shared.target().resolve("luns"));
  }

  /// Returns whether this process is a job, which ends when all images are complete.
  boolean isJob() {
    return shared.mode() == PopulatorSettings.Mode.JOB;
  }

  /// Exports the LUNs of a stopped service again. LUNs of the settings that do not exist yet are
  /// created in the background.
  ///
  /// @return empty if there is no LUN to export again, or if this process is a job
  Optional<StreamedVolume> reopen() throws VolumeException {
    try {
      Leftovers left = leftovers(PREDECESSOR_ENDS);
      if (left.again().isEmpty() || isJob()) {
        return Optional.empty();
      }
      StreamedVolume volume = open(left, new Progress(), false);
      volume.stored().retryInBackground();
      volume.creation().createInBackground(left.missing());
      return Optional.of(volume);
    } catch (IOException e) {
      throw failures.of(e, "Reading " + shared.target());
    }
  }

  /// Closes the volume of a failed creation, and removes the LUNs and files of that creation.
  void discard(StreamedVolume volume) throws VolumeException {
    volume.discard();
    try {
      var _ = leftovers(Duration.ZERO);
    } catch (IOException e) {
      throw failures.of(e, "Removing the LUNs");
    }
  }

  /// Removes all LUNs and images.
  void removeAll() throws VolumeException {
    try {
      luns().removeAll();
      Documents.remove(images());
    } catch (IOException e) {
      throw failures.of(e, "Removing the LUNs");
    }
  }

  /// Releases the lock, so that another process can use the directory.
  @PreDestroy
  void close() {
    lock.close();
  }
}

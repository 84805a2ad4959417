package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.login.IscsiName;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Progress;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.settings.PopulatorSettings;
import dev.pvcpopulators.volume.source.RegistryAccess;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.microprofile.config.Config;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Opens volumes in the directory that POPULATOR_TARGET names, new ones and those of a stopped
/// service.
///
/// | Path            | Holds                                              |
/// |-----------------|----------------------------------------------------|
/// | `images/KEY/`   | a disk that was pulled ([CachedImage])             |
/// | `luns/NUMBER/`  | a LUN and what was written to it ([StreamedVolume])|
@Singleton
final class StreamedVolumes {
  private static final Logger LOG = Logger.getLogger(StreamedVolumes.class);
  private static final long MEBIBYTE = 1 << 20;

  /// Pulls at once: each has buffers, and the window of its decoder.
  private static final int PULLS = 4;

  private final PopulatorSettings shared;
  private final RegistryStreamIscsiSettings settings;
  private final Config config;

  StreamedVolumes(PopulatorSettings shared, RegistryStreamIscsiSettings settings, Config config) {
    this.shared = shared;
    this.settings = settings;
    this.config = config;
  }

  /// Begins a volume without LUNs; the target listens.
  StreamedVolume open(Progress progress) throws VolumeException {
    try {
      removeLeftovers(List.of(), List.of());
      return volume(exports(), progress);
    } catch (IOException e) {
      throw LunFailures.of(e, "Opening the target");
    }
  }

  private Exports exports() throws IOException, VolumeException {
    boolean canonical =
        IscsiName.parse(settings.target())
            .filter(name -> name.toString().equals(settings.target()))
            .isPresent();
    if (!canonical) {
      throw new VolumeException(
          new Failure.InvalidRequest(
              "Reading REGISTRY_STREAM_ISCSI_TARGET: expected an iSCSI name in lower case, such as"
                  + " iqn.2017-01.io.kubevirt:sn.42, found '"
                  + settings.target()
                  + "'"));
    }
    Optional<ChapAccount> own =
        ChapAccount.of(settings.mutual().user(), settings.mutual().secretFile());
    return Exports.open(settings, PortalAddress.of(settings, config), own);
  }

  private StreamedVolume volume(Exports exports, Progress progress) {
    AtomicLong total = new AtomicLong();
    ImagePull.Environment environment =
        new ImagePull.Environment(
            new RegistryAccess(settings, "REGISTRY_STREAM_ISCSI_"),
            new Semaphore(PULLS),
            settings.farReadMebibytes() * MEBIBYTE,
            bytes -> progress.total(total.addAndGet(bytes)),
            progress::received,
            progress::written);
    return new StreamedVolume(
        settings,
        environment,
        exports,
        new ImageCache(images(), environment),
        lunDirectory(),
        shared.mode() == PopulatorSettings.Mode.JOB);
  }

  private Path images() {
    return shared.target().resolve("images");
  }

  private Path lunDirectory() {
    return shared.target().resolve("luns");
  }

  /// Exports the LUNs of a stopped service again. A job begins anew: it fills the cache.
  ///
  /// @return empty where there are none, or not those that the settings ask for
  Optional<StreamedVolume> reopen() throws VolumeException {
    try {
      List<LunRecord> records = records();
      List<StreamedVolume.Wanted> wanted = StreamedVolume.Wanted.again(settings, records);
      List<LunRecord> kept = new ArrayList<>();
      wanted.forEach(it -> kept.add(it.before()));
      removeLeftovers(
          kept.stream().map(LunRecord::image).toList(),
          kept.stream().map(it -> Integer.toString(it.lun())).toList());
      if (wanted.isEmpty() || shared.mode() == PopulatorSettings.Mode.JOB) {
        return Optional.empty();
      }
      StreamedVolume volume = volume(exports(), new Progress());
      boolean whole = false;
      try {
        whole = volume.addAgain(wanted);
      } finally {
        if (!whole) {
          volume.close();
        }
      }
      return whole ? Optional.of(volume) : Optional.empty();
    } catch (IOException e) {
      throw LunFailures.of(e, "Looking at " + shared.target());
    }
  }

  private List<LunRecord> records() throws IOException {
    List<LunRecord> records = new ArrayList<>();
    if (!Files.isDirectory(lunDirectory())) {
      return records;
    }
    try (var entries = Files.newDirectoryStream(lunDirectory())) {
      for (Path entry : entries) {
        @Nullable LunRecord record = record(entry.resolve(StreamedVolume.RECORD));
        if (record != null && entry.getFileName().toString().equals("" + record.lun())) {
          records.add(record);
        }
      }
    }
    records.sort(java.util.Comparator.comparingInt(LunRecord::lun));
    return records;
  }

  /// A LUN whose making was cut short has no document yet.
  private static @Nullable LunRecord record(Path file) {
    try {
      return Files.exists(file) ? LunRecord.read(Documents.read(file)) : null;
    } catch (IOException | IllegalArgumentException e) {
      LOG.warnf("Not exported again: file=%s: %s", file, e.getMessage());
      return null;
    }
  }

  /// Removes what is ours but for what is named.
  private void removeLeftovers(List<String> keptImages, List<String> keptLuns) throws IOException {
    if (!Files.isDirectory(shared.target())) {
      throw new java.nio.file.NotDirectoryException(
          shared.target() + ": expected the directory that POPULATOR_TARGET names");
    }
    Documents.removeAllBut(images(), keptImages);
    Documents.removeAllBut(lunDirectory(), keptLuns);
  }

  /// Removes everything that is ours.
  void removeAll() throws VolumeException {
    try {
      Documents.remove(lunDirectory());
      Documents.remove(images());
    } catch (IOException e) {
      throw new VolumeException(
          new Failure.InvalidRequest("Removing the LUNs: " + e.getMessage()), e);
    }
  }
}

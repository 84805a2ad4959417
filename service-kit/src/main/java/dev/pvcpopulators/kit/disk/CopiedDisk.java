package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.volume.VolumeException;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// Deletes the disk of a volume, and finds the disk after a restart. Used by every service that
/// copies a disk from a source which can be read again.
@Singleton
public final class CopiedDisk {
  /// The property that is set during a dry run. A dry run does not remove leftovers of a crash.
  public static final String DRY_RUN = "dry-run";

  private static final Logger LOG = System.getLogger(CopiedDisk.class.getName());

  private final PopulatorSettings shared;
  private final DiskVolume volume;
  private final boolean dryRun;

  /// Decides whether an existing disk is the disk that the settings select.
  @FunctionalInterface
  public interface Asked {
    /// Returns whether the disk was made from the source in the settings. Called only if the
    /// settings name a source.
    boolean made(DiskRecord record) throws VolumeException;
  }

  CopiedDisk(
      PopulatorSettings shared,
      DiskVolume volume,
      @ConfigProperty(name = DRY_RUN, defaultValue = "false") boolean dryRun) {
    this.shared = shared;
    this.volume = volume;
    this.dryRun = dryRun;
  }

  /// Removes the disk if it has a [DiskRecord], or if this process published it.
  public void delete() throws VolumeException {
    try {
      volume.delete();
    } catch (IOException e) {
      throw new VolumeException(volume.failureOf(e, "Deleting the disk"), e);
    }
  }

  /// Removes the leftovers of a crash. In a service, also returns the volume's disk if, according
  /// to the disk's record, the disk was made from the source in the settings. This method does not
  /// access the source. It compares the disk with its record as [CopySettings#verify] demands; a
  /// disk that may have changed is returned, too ([ExistingDisk#recovered]). In a job, returns
  /// empty, because a job compares the disk with the source when the job creates the volume. In a
  /// dry run, does nothing and returns empty.
  ///
  /// @param configured whether the settings name a source
  public Optional<Recovered> recover(CopySettings settings, boolean configured, Asked asked)
      throws VolumeException {
    if (dryRun) {
      return Optional.empty();
    }
    try {
      volume.removeLeftovers();
      return configured && shared.mode() == PopulatorSettings.Mode.SERVICE
          ? made(settings, asked)
          : Optional.empty();
    } catch (IOException e) {
      throw new VolumeException(volume.failureOf(e, "Looking at the volume"), e);
    }
  }

  private Optional<Recovered> made(CopySettings settings, Asked asked)
      throws IOException, VolumeException {
    Optional<ExistingDisk> existing =
        ExistingDisk.check(volume, settings.verify(), new Cancellation());
    if (existing.isEmpty()) {
      return Optional.empty();
    }
    DiskRecord found = existing.get().record();
    if (!asked.made(found)) {
      LOG.log(
          Level.INFO,
          "Found another disk: volume={0} source={1}",
          volume.path().toString(),
          found.source());
      return Optional.empty();
    }
    LOG.log(
        Level.INFO,
        "Found the disk made before: volume={0} digest={1} changed={2} verified={3}",
        volume.path().toString(),
        found.sourceDigest(),
        !existing.get().proven(),
        existing.get().verified());
    return existing.map(disk -> disk.recovered(volume));
  }
}

package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.disk.ExistingDisk;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/// Fills the volume with the disk in an image.
@Singleton
final class CopyPopulator implements Populator {
  private static final Logger LOG = Logger.getLogger(CopyPopulator.class);

  private final PopulatorSettings shared;
  private final RegistryCopySettings settings;
  private final RegistryAccess registries;
  private final DiskVolume volume;
  private final boolean dryRun;

  CopyPopulator(
      PopulatorSettings shared,
      RegistryCopySettings settings,
      RegistryAccess registries,
      DiskVolume volume,
      @ConfigProperty(name = DryRun.PROPERTY, defaultValue = "false") boolean dryRun) {
    this.shared = shared;
    this.settings = settings;
    this.registries = registries;
    this.volume = volume;
    this.dryRun = dryRun;
  }

  @Override
  public String name() {
    return "registry-copy";
  }

  @Override
  public Set<String> overridableFields() {
    return ChosenDisk.FIELDS;
  }

  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException {
    ChosenDisk asked = Copy.chosen(settings, request);
    try {
      new Copy(asked, settings, registries, volume, progress, cancellation).run();
      return volume.source();
    } catch (IOException e) {
      cancellation.check();
      throw new VolumeException(CopyFailures.of(e, asked, volume), e);
    }
  }

  @Override
  public void delete() throws VolumeException {
    try {
      volume.delete();
    } catch (IOException e) {
      throw new VolumeException(volume.failureOf(e, "Deleting the disk"), e);
    }
  }

  /// A job asks the source whether an existing disk is the one to make. A service compares the
  /// settings: the same reference and selection mean the same volume.
  @Override
  public Optional<Recovered> recover() throws VolumeException {
    if (dryRun) {
      return Optional.empty();
    }
    try {
      volume.removeLeftovers();
      return switch (shared.mode()) {
        case JOB -> Optional.empty();
        case SERVICE -> made(new Cancellation());
      };
    } catch (IOException e) {
      throw new VolumeException(volume.failureOf(e, "Looking at the volume"), e);
    }
  }

  /// Returns the disk of the configured image, if the volume contains it.
  private Optional<Recovered> made(Cancellation never) throws IOException, VolumeException {
    if (settings.image().isEmpty()) {
      return Optional.empty();
    }
    Optional<ExistingDisk> existing = ExistingDisk.check(volume, settings.verify(), never);
    if (existing.isEmpty()) {
      return Optional.empty();
    }
    DiskRecord found = existing.get().record();
    ChosenDisk configured = Copy.chosen(settings, VolumeRequest.empty());
    if (!found.source().equals(configured.reference().toString())
        || !found.selection().equals(configured.selection())) {
      LOG.infof(
          "Found the disk of another image: volume=%s image=%s", volume.path(), found.source());
      return Optional.empty();
    }
    LOG.infof(
        "Found the disk made before: volume=%s digest=%s changed=%s verified=%s",
        volume.path(), found.sourceDigest(), !existing.get().proven(), existing.get().verified());
    return existing.map(disk -> disk.recovered(volume));
  }
}

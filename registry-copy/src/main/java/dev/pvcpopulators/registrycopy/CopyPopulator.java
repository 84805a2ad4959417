package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.kit.disk.CopiedDisk;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/// Fills the volume with the disk in a container image.
@Singleton
final class CopyPopulator implements Populator {
  private final RegistryCopySettings settings;
  private final DiskVolume volume;
  private final CopiedDisk copied;

  CopyPopulator(RegistryCopySettings settings, DiskVolume volume, CopiedDisk copied) {
    this.settings = settings;
    this.volume = volume;
    this.copied = copied;
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
      CopyReport report = new CopyReport(asked.reference());
      new Copy(asked, settings, volume, progress, cancellation, report).run();
      return volume.source();
    } catch (IOException e) {
      cancellation.check();
      throw new VolumeException(volume.failureOfSource(e, "Reading " + asked.reference()), e);
    }
  }

  @Override
  public void delete() throws VolumeException {
    copied.delete();
  }

  @Override
  public Optional<Recovered> recover() throws VolumeException {
    return copied.recover(settings, settings.image().isPresent(), this::made);
  }

  /// Returns whether a disk was made from the configured reference with the configured selection.
  private boolean made(DiskRecord record) throws VolumeException {
    ChosenDisk configured = Copy.chosen(settings, VolumeRequest.empty());
    return record.source().equals(configured.reference().toString())
        && record.selection().equals(configured.selection());
  }
}

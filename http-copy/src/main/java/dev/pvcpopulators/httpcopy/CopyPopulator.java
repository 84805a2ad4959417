package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.http.file.DownloadSession;
import dev.pvcpopulators.kit.disk.CopiedDisk;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/// Fills the volume with a disk from a URL.
@Singleton
final class CopyPopulator implements Populator {
  private final HttpCopySettings settings;
  private final Downloads downloads;
  private final DiskVolume volume;
  private final CopiedDisk copied;

  CopyPopulator(
      HttpCopySettings settings, Downloads downloads, DiskVolume volume, CopiedDisk copied) {
    this.settings = settings;
    this.downloads = downloads;
    this.volume = volume;
    this.copied = copied;
  }

  @Override
  public String name() {
    return "http-copy";
  }

  @Override
  public Set<String> overridableFields() {
    return CopyRequest.FIELDS;
  }

  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException {
    CopyRequest asked = CopyRequest.of(settings, request);
    try (DownloadSession session = downloads.open()) {
      new Copy(asked, settings, volume, progress, cancellation).run(session);
      return volume.source();
    } catch (IOException e) {
      cancellation.check();
      throw new VolumeException(volume.failureOfSource(e, "Reading " + asked.url()), e);
    }
  }

  @Override
  public void delete() throws VolumeException {
    copied.delete();
  }

  @Override
  public Optional<Recovered> recover() throws VolumeException {
    return copied.recover(
        settings,
        settings.url().isPresent(),
        record -> CopyRequest.of(settings, VolumeRequest.empty()).asked(record));
  }
}

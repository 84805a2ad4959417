package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.pipeline.DiskImport;
import dev.pvcpopulators.diskimage.pipeline.ImportedImage;
import dev.pvcpopulators.diskimage.pipeline.RepeatableSource;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.kit.disk.CopySettings;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.disk.ExistingDisk;
import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.kit.disk.ImportProgress;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.kit.source.SearchedLayers;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.disk.DiskSearch;
import dev.pvcpopulators.registry.disk.FoundDisk;
import dev.pvcpopulators.registry.disk.SearchListener;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jboss.logging.Logger;

/// Copies the disk in one layer of a container image into a volume.
///
/// ```
/// blob (GET, digest) ─▶ decompress ─▶ tar ─▶ decompress (0–4 times) ─▶ decode ─▶ VolumeWriter
/// ```
record Copy(
    ChosenDisk asked,
    RegistryCopySettings settings,
    DiskVolume volume,
    Progress progress,
    Cancellation cancellation,
    CopyReport report) {
  /// The prefix of this service's environment variables.
  static final String PREFIX = "REGISTRY_COPY_";

  private static final Logger LOG = Logger.getLogger(Copy.class);

  /// Returns the disk that a request selects.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a value is invalid
  static ChosenDisk chosen(RegistryCopySettings settings, VolumeRequest request)
      throws VolumeException {
    return ChosenDisk.of(
        PREFIX + "IMAGE",
        settings,
        settings.diskType(),
        request.value("format", settings.format(), FormatSetting::parse),
        request);
  }

  /// Returns the source of a disk's image. The caller owns the source.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if a setting is invalid
  static ImageSource open(RegistryCopySettings settings, ChosenDisk asked)
      throws IOException, VolumeException {
    return new RegistryAccess(settings, PREFIX).open(asked.image());
  }

  /// Copies the disk unless the volume contains it already.
  ///
  /// @throws IOException if any step fails. No incomplete disk is visible after this exception, but
  ///   an old disk that the copy replaces may be deleted already
  /// @throws VolumeException if a setting is invalid, if the volume contains another disk that must
  ///   not be replaced, or if the volume contains this image's disk, but this disk is not proven to
  ///   be unchanged
  void run() throws IOException, VolumeException {
    // If the volume has a disk without a record, and this disk must not be replaced, the copy is
    // refused before the image is requested.
    Optional<DiskRecord> present = volume.recorded();
    if (present.isEmpty()) {
      volume.requireVacant();
    }
    try (ImageSource source = open(settings, asked);
        Registration _ = cancellation.onCancel(() -> abort(source))) {
      Image image = source.resolve(asked.image().choice());
      progress.sourceDigest(image.digest().toString());
      progress.details(report.resolved(image));
      if (!settings.force() && present.filter(record -> asked.made(image, record)).isPresent()) {
        skip(image);
        return;
      }
      volume.requireVacant();
      copy(image, source);
    }
  }

  /// Reports the existing disk, and copies nothing.
  ///
  /// @throws VolumeException if the existing disk is not proven to be unchanged
  private void skip(Image image) throws IOException, VolumeException {
    ExistingDisk existing =
        ExistingDisk.check(volume, settings.verify(), cancellation)
            .orElseThrow(() -> new IOException("The disk disappeared while it was checked"));
    existing.require(volume.path(), PREFIX);
    existing.tell(progress);
    progress.details(report.skipped(existing));
    List<Part> layers = SearchedLayers.skipped(image.manifest().layers());
    progress.parts(() -> layers);
    LOG.infof(
        "The volume holds this disk already: volume=%s image=%s digest=%s verified=%s",
        volume.path(), asked.reference(), image.digest(), existing.verified());
  }

  private void copy(Image image, ImageSource source) throws IOException {
    SearchedLayers layers = new SearchedLayers(image.manifest().layers());
    progress.parts(layers::parts);
    try (layers;
        FoundDisk disk =
            DiskSearch.find(image, source.blobs(), asked.path(), new Transfer(layers));
        VolumeWriter writer = volume.open(settings.verify() == CopySettings.Verify.CONTENT);
        Registration _ = cancellation.onCancel(writer::cancel)) {
      layers.found();
      progress.details(report.found(disk));
      ImportedImage imported = decode(disk, writer);
      layers.finish();
      progress.virtualSize(imported.virtualSize());
      progress.finalizing();
      writer.publish(
          new Origin(image.digest().toString(), asked.reference().toString(), asked.selection()),
          imported.format());
      progress.details(report.written(writer.bytesWritten(), imported.content()));
      LOG.infof(
          "The volume is ready: volume=%s image=%s digest=%s path=%s format=%s virtualSize=%d"
              + " bytes=%d",
          volume.path(),
          asked.reference(),
          image.digest(),
          Quoted.of(disk.path()),
          imported.format().wrappedIn(imported.wrapping()),
          imported.virtualSize(),
          writer.bytesWritten());
    }
  }

  private ImportedImage decode(FoundDisk disk, VolumeWriter writer) throws IOException {
    try {
      return DiskImport.run(new Pulls(disk), writer, asked.format(), new ImportProgress(progress));
    } catch (MalformedImageException e) {
      throw disk.judged(e);
    }
  }

  /// Closes the source. A failure is only logged, because the other steps of the cancellation must
  /// run; the connection then ends at its time-out.
  private static void abort(ImageSource source) {
    try {
      source.close();
    } catch (IOException e) {
      LOG.warnf("Cancelling the copy: its source does not close: %s", e.getMessage());
    }
  }

  /// Opens the disk each time that the import reads it from its beginning. The first call of
  /// [#open] continues the pull that the search began; each further call pulls the layer again.
  private record Pulls(FoundDisk disk) implements RepeatableSource {
    @Override
    public InputStream open() throws IOException {
      return disk.openUntilJudged();
    }

    @Override
    public OptionalLong length() {
      return disk.length();
    }
  }

  /// Reports the received and the total bytes, each as a sum over the pulled layers. Both sums
  /// start again at 0 before layers are pulled again.
  private final class Transfer implements SearchListener {
    private final SearchedLayers layers;
    private long total;
    private long received;

    Transfer(SearchedLayers layers) {
      this.layers = layers;
    }

    @Override
    public void layer(Descriptor layer, int fromTop) {
      layers.layer(layer, fromTop);
      total += layer.size();
      progress.total(total);
      progress.transferring();
      LOG.infof(
          "Reading a layer: digest=%s bytes=%d fromTop=%d", layer.digest(), layer.size(), fromTop);
    }

    @Override
    public void received(long bytes) {
      layers.received(bytes);
      received += bytes;
      progress.received(bytes);
    }

    @Override
    public void restarted() {
      layers.restarted();
      progress.received(-received);
      received = 0;
      total = 0;
    }
  }
}

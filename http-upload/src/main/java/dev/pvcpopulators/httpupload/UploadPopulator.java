package dev.pvcpopulators.httpupload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.archive.FileTree;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import dev.pvcpopulators.diskimage.pipeline.ArchiveImport;
import dev.pvcpopulators.diskimage.pipeline.DiskImport;
import dev.pvcpopulators.diskimage.pipeline.ImportedImage;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.disk.ImportProgress;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/// Fills the volume with an uploaded disk, or with the files of an uploaded archive.
@Singleton
final class UploadPopulator implements Populator {
  private static final Logger LOG = Logger.getLogger(UploadPopulator.class);

  private final UploadSlot slot;
  private final PopulatorSettings settings;
  private final DiskVolume volume;

  /// The top-level entries of the archive that this process unpacked; empty if this process has
  /// unpacked no archive, or has deleted the entries.
  private volatile List<String> unpacked = List.of();

  UploadPopulator(UploadSlot slot, PopulatorSettings settings, DiskVolume volume) {
    this.slot = slot;
    this.settings = settings;
    this.volume = volume;
  }

  @Override
  public String name() {
    return "http-upload";
  }

  @Override
  public Set<String> overridableFields() {
    return Set.of();
  }

  @Override
  public VolumeSource create(VolumeRequest request, Progress progress, Cancellation cancellation)
      throws VolumeException, InterruptedException {
    if (slot.current().isEmpty()) {
      // If the volume is not vacant, the service refuses every disk. Therefore the client that
      // requested the volume gets the failure at once.
      volume.requireVacant();
    }
    while (true) {
      Upload upload = slot.take();
      try (Registration _ =
          cancellation.onCancel(() -> upload.body().abort(UploadEndedException.cancelled()))) {
        populate(upload, progress, cancellation);
        return volume.source();
      } catch (UploadEndedException e) {
        if (!e.replaced()) {
          throw new VolumeException(e.failure(), e);
        }
        LOG.info("A new upload replaced the interrupted upload");
        progress.received(-upload.verified().position());
      } catch (IOException e) {
        cancellation.check();
        throw new VolumeException(failureOf(e), e);
      } finally {
        slot.release(upload);
        // The reader has ended. A connection that still sends bytes must not wait for the reader.
        upload.body().abort(UploadEndedException.cancelled());
      }
    }
  }

  private void populate(Upload upload, Progress progress, Cancellation cancellation)
      throws IOException, VolumeException {
    upload.tell(progress::received);
    // Sets the total even if the total is unknown, because a replaced upload may have set a total.
    progress.total(upload.total().orElse(-1));
    progress.transferring();
    switch (upload.request().content()) {
      case DISK -> writeDisk(upload, progress, cancellation);
      case ARCHIVE -> unpack(upload, progress);
    }
  }

  private void writeDisk(Upload upload, Progress progress, Cancellation cancellation)
      throws IOException {
    try (VolumeWriter writer = volume.open();
        Registration _ = cancellation.onCancel(writer::cancel)) {
      ImportedImage image =
          DiskImport.run(
              reader(upload),
              upload.total(),
              writer,
              upload.request().format(),
              new ImportProgress(progress));
      progress.virtualSize(image.virtualSize());
      tellContent(image.content(), progress);
      progress.finalizing();
      Optional<String> digest = upload.verified().verifyWhole();
      digest.ifPresent(progress::sourceDigest);
      writer.publish(Origin.digest(digest.orElse("")), image.format());
      LOG.infof(
          "The volume is ready: volume=%s format=%s virtualSize=%d bytes=%d digest=%s",
          volume.path(),
          image.format().wrappedIn(image.wrapping()),
          image.virtualSize(),
          writer.bytesWritten(),
          digest.orElse("-"));
    }
  }

  private void tellContent(DiskContent content, Progress progress) {
    ObjectNode details = JsonNodeFactory.instance.objectNode().put("content", content.words());
    content
        .notice()
        .ifPresent(notice -> {
          details.put("notice", notice);
          LOG.warnf("The disk has no known content: volume=%s; %s", volume.path(), notice);
        });
    progress.details(details);
  }

  private void unpack(Upload upload, Progress progress) throws IOException {
    progress.format("tar");
    List<String> names =
        ArchiveImport.run(
            reader(upload),
            volume.path(),
            settings.overwrite(),
            () -> {
              progress.finalizing();
              upload.verified().verifyWhole().ifPresent(progress::sourceDigest);
            });
    unpacked = names;
    LOG.infof("The archive is unpacked: volume=%s entries=%d", volume.path(), names.size());
  }

  /// Returns the stream for the import. If digests of the whole upload are computed, a separate
  /// thread reads and hashes the bytes, because hashing takes as long as writing. Without hashing,
  /// a separate thread would only copy bytes.
  private static InputStream reader(Upload upload) {
    VerifiedBody body = upload.verified();
    return body.hashes() ? ReadAheadStream.start(body, "upload-digest") : body;
  }

  @Override
  public void delete() throws VolumeException {
    try {
      volume.delete();
      for (String name : unpacked) {
        FileTree.delete(volume.path().resolve(name));
      }
      unpacked = List.of();
    } catch (IOException e) {
      throw new VolumeException(failureOf(e), e);
    }
  }

  /// Removes the leftovers of a crash, then searches the volume for a disk that this service made.
  @Override
  public Optional<Recovered> recover() throws VolumeException {
    try {
      volume.removeLeftovers();
      if (!volume.block()) {
        ArchiveImport.removeLeftovers(volume.path());
      }
      return volume.recorded().map(this::recovered);
    } catch (IOException e) {
      throw new VolumeException(failureOf(e), e);
    }
  }

  private Recovered recovered(DiskRecord found) {
    String digest = found.sourceDigest();
    LOG.infof(
        "Found the disk made before: volume=%s digest=%s",
        volume.path(), digest.isEmpty() ? "-" : digest);
    return new Recovered(
        volume.source(),
        null,
        -1,
        digest.isEmpty() ? null : digest,
        found.format().word(),
        found.virtualSize());
  }

  private Failure failureOf(IOException e) {
    return switch (e) {
      case UploadEndedException ended -> ended.failure();
      case FileAlreadyExistsException taken ->
          new Failure.VolumeNotEmpty(
              "Unpacking the archive: the volume has "
                  + taken.getFile()
                  + " already; set POPULATOR_OVERWRITE=true to replace it");
      default -> volume.failureOf(e, "Reading the upload");
    };
  }
}

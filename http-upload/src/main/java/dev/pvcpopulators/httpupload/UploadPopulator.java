package dev.pvcpopulators.httpupload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import dev.pvcpopulators.diskimage.pipeline.DiskImport;
import dev.pvcpopulators.diskimage.pipeline.ImportedImage;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.kit.disk.ImportProgress;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Populator;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/// Makes the volume out of the upload that arrives.
@Singleton
final class UploadPopulator implements Populator {
  private static final Logger LOG = Logger.getLogger(UploadPopulator.class);

  private final UploadDesk desk;
  private final UploadVolume volume;

  UploadPopulator(UploadDesk desk, UploadVolume volume) {
    this.desk = desk;
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
    if (desk.current().isEmpty()) {
      // Every disk would be refused: who waits for one is told now.
      volume.requireVacant();
    }
    while (true) {
      Upload upload = desk.take();
      try (Registration _ =
          cancellation.onCancel(() -> upload.body().abort(UploadEndedException.cancelled()))) {
        populate(upload, progress, cancellation);
        return volume.source();
      } catch (UploadEndedException e) {
        if (!e.replaced()) {
          throw new VolumeException(e.failure(), e);
        }
        LOG.info("The upload that broke off gives way to a new one");
        progress.received(-upload.verified().position());
      } catch (IOException e) {
        cancellation.check();
        throw new VolumeException(volume.failureOf(e), e);
      } finally {
        desk.release(upload);
        // A connection that still brings bytes must not wait for a reader who is gone.
        upload.body().abort(UploadEndedException.cancelled());
      }
    }
  }

  private void populate(Upload upload, Progress progress, Cancellation cancellation)
      throws IOException, VolumeException {
    upload.tell(progress::received);
    // Also where it is not known: the upload before, which gave way, may have had one.
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
          LOG.warnf("The disk does not look like one: volume=%s; %s", volume.path(), notice);
        });
    progress.details(details);
  }

  private void unpack(Upload upload, Progress progress) throws IOException {
    progress.format("tar");
    List<String> names =
        volume.unpack(
            reader(upload),
            () -> {
              progress.finalizing();
              upload.verified().verifyWhole().ifPresent(progress::sourceDigest);
            });
    LOG.infof("The archive is unpacked: volume=%s entries=%d", volume.path(), names.size());
  }

  /// Hashing takes as long as writing: it has a thread of its own. Without it the next chunk is at
  /// hand at once, and a thread between would only copy.
  private static InputStream reader(Upload upload) {
    VerifiedBody body = upload.verified();
    return body.hashes() ? ReadAheadStream.start(body, "upload-digest") : body;
  }

  @Override
  public void delete() throws VolumeException {
    try {
      volume.delete();
    } catch (IOException e) {
      throw new VolumeException(volume.failureOf(e), e);
    }
  }

  @Override
  public Optional<Recovered> recover() throws VolumeException {
    try {
      return volume.recover();
    } catch (IOException e) {
      throw new VolumeException(volume.failureOf(e), e);
    }
  }
}

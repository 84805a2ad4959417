package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.populate.claim.ClaimCreation;
import dev.pvcpopulators.populate.claim.ClaimProgress;
import dev.pvcpopulators.populate.claim.ClaimRequest;
import dev.pvcpopulators.populate.claim.Patience;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/// The upload of one image to one claim. Creates the claim if it does not exist.
public final class ImageUpload implements Closeable {
  /// The file name that means standard input.
  public static final String STANDARD_INPUT = "-";

  private final Image image;
  private final Optional<ImageFormat> format;
  private final ClaimRequest request;
  private final Duration limit;
  private final ClaimProgress progress;

  private ImageUpload(
      Image image, Optional<ImageFormat> format, ClaimRequest request, Duration limit) {
    this.image = image;
    this.format = format;
    this.request = request;
    this.limit = limit;
    this.progress = new ClaimProgress(request.namespace(), request.claim(), image.length());
  }

  /// Opens the image.
  ///
  /// @param file path of the image, or [#STANDARD_INPUT]
  /// @param format the format of the image; empty if the service detects it
  /// @param limit the longest time without progress
  /// @throws VolumeException if the file cannot be read, or is empty
  public static ImageUpload of(
      String file, Optional<ImageFormat> format, ClaimRequest request, Duration limit)
      throws VolumeException {
    Image image =
        file.equals(STANDARD_INPUT) ? new Image.OfStream(System.in) : Image.open(Path.of(file));
    return new ImageUpload(image, format, request, limit);
  }

  /// Returns the progress, which another thread may read.
  public ClaimProgress progress() {
    return progress;
  }

  /// Creates the claim and its DiskImage if they are missing, and uploads the image.
  ///
  /// @param notes gets a sentence for each created object, interruption and reason to wait
  /// @param untilBound whether to wait until the claim is bound to the disk
  /// @throws VolumeException if the claim or its DiskImage cannot be created, or if the upload
  ///   failed permanently or made no progress for too long
  public void run(KubernetesClient client, Consumer<String> notes, boolean untilBound)
      throws VolumeException, InterruptedException {
    new ClaimCreation(client, request, notes).run(this::storage);
    Patience patience = new Patience(limit, notes);
    Sending sending = new Sending(image, format, request.sha256(), patience, progress);
    new Upload(client, request.namespace(), request.claim(), sending, patience).run(untilBound);
  }

  private Quantity storage() throws VolumeException {
    if (request.size().isPresent()) {
      return request.size().get();
    }
    return switch (image) {
      case Image.OfFile file -> ImageSize.of(file.path(), format, request.block());
      case Image.OfStream _ ->
          throw VolumeException.invalid(
              "Creating claim %s: expected --size, because standard input is read only once"
                  .formatted(request.claim()));
    };
  }

  @Override
  public void close() throws IOException {
    image.close();
  }
}

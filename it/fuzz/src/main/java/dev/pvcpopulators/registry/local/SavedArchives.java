package dev.pvcpopulators.registry.local;

import static dev.pvcpopulators.fuzz.Refusal.ensure;

import dev.pvcpopulators.fuzz.MendedTar;
import dev.pvcpopulators.fuzz.Refusal;
import dev.pvcpopulators.http.SourceException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.registry.remote.RegistryOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Fuzzes images in archives. Each accepted blob must have the digest and the size that its
/// descriptor states.
public final class SavedArchives {
  private static final Path FILE = file();
  private static final RegistryOptions OPTIONS = RegistryOptions.of(Set.of(), List.of(), Map.of());
  private static final List<Optional<String>> NAMES =
      List.of(Optional.empty(), Optional.of("busybox:1"), Optional.of("@0"), Optional.of("@3"));

  private SavedArchives() {}

  private static Path file() {
    try {
      Path file = Files.createTempFile("fuzz", ".tar");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes a layout as an archive (see [LayoutTar]), and reads the archive and the blobs of one of
  /// its images.
  ///
  /// @param options selects the image
  public static void layout(byte[] documents, int options, ImageChoice choice) throws IOException {
    Files.write(FILE, LayoutTar.of(documents));
    blobs(SourceReference.Transport.LAYOUT_ARCHIVE, options, choice);
  }

  /// Corrects the checksums of an archive's headers, and reads the archive and the blobs of one of
  /// its images.
  ///
  /// @param options selects the image
  public static void docker(byte[] tar, int options, ImageChoice choice) throws IOException {
    Files.write(FILE, MendedTar.of(tar));
    blobs(SourceReference.Transport.DOCKER_ARCHIVE, options, choice);
  }

  private static void blobs(SourceReference.Transport transport, int options, ImageChoice choice)
      throws IOException {
    SourceReference reference =
        new SourceReference.Local(transport, FILE, NAMES.get(options % NAMES.size()));
    try (ImageSource source = ImageSource.open(reference, OPTIONS)) {
      Image image = source.resolve(choice);
      blob(image.manifest().config(), source.blobs());
      for (Descriptor layer : image.manifest().layers()) {
        blob(layer, source.blobs());
      }
    }
  }

  private static void blob(Descriptor blob, BlobStore store) throws IOException {
    byte[] bytes;
    try (InputStream content = store.blob(blob, TransferListener.NONE)) {
      bytes = content.readAllBytes();
    } catch (SourceException e) { // The content differs from the descriptor.
      Refusal.check(e);
      return;
    }
    Digest found = Digest.of(blob.digest().algorithm(), bytes);
    ensure(found.equals(blob.digest()), "The content of the blob " + blob.digest() + " differs");
    ensure(bytes.length == blob.size(), "The size of the blob " + blob.digest() + " differs");
    if (bytes.length > 0) {
      int half = bytes.length / 2;
      try (InputStream part = store.range(blob, half, bytes.length - half)) {
        byte[] end = Arrays.copyOfRange(bytes, half, bytes.length);
        ensure(Arrays.equals(part.readAllBytes(), end), "A part that is not of its blob");
      }
    }
  }

  /// Parses the name that selects an image of an archive.
  public static void checkName(Optional<String> name) {
    try {
      LayoutName read = LayoutName.parse(name);
      ensure(
          read instanceof LayoutName.Only == name.isEmpty(),
          "Another name than asked for: " + name);
    } catch (IllegalArgumentException e) {
      Refusal.check(e);
    }
  }
}

package dev.pvcpopulators.registry;

import static dev.pvcpopulators.fuzz.Refusal.ensure;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.fuzz.Finds;
import dev.pvcpopulators.fuzz.Refusal;
import dev.pvcpopulators.http.SourceException;
import dev.pvcpopulators.registry.disk.DiskWords;
import dev.pvcpopulators.registry.local.SavedArchives;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.registry.remote.RegistryWords;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Fuzzes the descriptions of images that come from registries, layouts, archives and clients.
///
/// | Bits 0–2 of byte 0 | The rest                                                              |
/// |-------------------:|-----------------------------------------------------------------------|
/// |                  0 | documents in the order of their requests, separated by NUL            |
/// |                  1 | a layout's documents, see [SavedArchives#layout]                      |
/// |                  2 | a tar of `docker save`                                                |
/// |                  3 | an image reference                                                    |
/// |                  4 | values of header fields, one per line                                 |
/// |                  5 | the path of a disk, and names, one per line                           |
///
/// Bits 3–5 select the media type of the first document, the requested platform, and the name of
/// the image in an archive.
public final class ManifestFuzz {
  private static final List<ImageChoice> CHOICES =
      List.of(
          ImageChoice.ofThisMachine(),
          ImageChoice.of(Platform.parse("linux/arm64/v8")),
          ImageChoice.of(Platform.parse("linux/arm")));
  private static final List<String> MEDIA_TYPES =
      List.of("", MediaTypes.OCI_INDEX, MediaTypes.DOCKER_MANIFEST);
  private static final SourceReference SOMEWHERE = SourceReference.parse("registry.test/a/b:c");

  static {
    Finds.listen();
  }

  private ManifestFuzz() {}

  /// Reads the input. The first byte selects the meaning of the other bytes.
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    if (data.length == 0) {
      return;
    }
    byte[] rest = Arrays.copyOfRange(data, 1, data.length);
    int options = data[0] >> 3 & 7;
    ImageChoice choice = CHOICES.get(options % CHOICES.size());
    switch (data[0] & 7) {
      case 0 -> documents(rest, MEDIA_TYPES.get(options / CHOICES.size()), choice);
      case 1 -> archive(() -> SavedArchives.layout(rest, options, choice));
      case 2 -> archive(() -> SavedArchives.docker(rest, options, choice));
      case 3 -> reference(new String(rest, UTF_8));
      case 4 -> RegistryWords.check(new String(rest, ISO_8859_1).lines().toList());
      case 5 -> DiskWords.check(new String(rest, UTF_8).split("\n", -1));
      default -> {}
    }
    Finds.check();
  }

  private static void documents(byte[] data, String mediaType, ImageChoice choice)
      throws IOException {
    archive(() -> {
      SpokenStore store = new SpokenStore(data, mediaType);
      Image image = new ImageSource(store, SOMEWHERE).resolve(choice);
      check(image);
      DiskWords.choose(image);
    });
  }

  private interface Reading {
    void run() throws IOException;
  }

  /// Reads an image. The result must be an image, or an exception of a known type with a valid
  /// message.
  private static void archive(Reading reading) throws IOException {
    try {
      reading.run();
    } catch (MalformedImageException | UnsupportedFeatureException | SourceException e) {
      Refusal.check(e);
    }
  }

  private static void check(Image image) throws IOException {
    Manifest manifest = image.manifest();
    ensure(manifest.layers().size() <= RegistryLimits.LAYERS, "More layers than are taken");
    ManifestDocument again =
        ManifestDocument.read(JsonValue.root("again", WrittenManifest.of(manifest)), "");
    ensure(
        again.equals(manifest), "The manifest differs after it was written and read: " + manifest);
    Optional<Platform> platform = image.platform();
    ensure(platform.isEmpty() || platform.get().known(), "A platform that says nothing");
  }

  private static void reference(String text) {
    SourceReference reference;
    try {
      reference = SourceReference.parse(text);
    } catch (IllegalArgumentException e) {
      Refusal.check(e);
      return;
    }
    SourceReference again = SourceReference.parse(reference.toString());
    ensure(again.equals(reference), reference + " is read as " + again);
    switch (reference) {
      case SourceReference.Remote remote -> RegistryWords.checkPlaces(remote);
      case SourceReference.Local local -> SavedArchives.checkName(local.name());
    }
  }
}

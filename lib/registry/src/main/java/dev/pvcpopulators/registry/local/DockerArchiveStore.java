package dev.pvcpopulators.registry.local;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.JsonValue;
import dev.pvcpopulators.registry.MediaTypes;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.SourceReference;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A tar in the format of `docker save` (Docker image specification 1.2, "Combined Image JSON +
/// Filesystem Changeset Format").
///
/// The file `manifest.json` of this format is not an image manifest. Therefore this class creates
/// an image manifest. The created manifest contains the digest and the size of the configuration,
/// and the digest and the size of each layer as stored in the tar. The digest of an uncompressed
/// layer is the layer's diff ID. The digest of the configuration, which Docker calls the image ID,
/// also serves as the digest of the created manifest and of the image. Docker with the containerd
/// image store saves a layer in the compressed form in which Docker pulled the layer, under
/// `blobs/sha256/DIGEST`. A compressed layer is verified by the digest in the name of the layer's
/// tar entry.
public final class DockerArchiveStore extends FileBlobStore {
  private static final String MANIFEST_FILE = "manifest.json";
  private static final String LAYER = "application/vnd.docker.image.rootfs.diff.tar";
  private static final String GZIP_LAYER = LAYER + ".gzip";
  private static final String ZSTD_LAYER = "application/vnd.oci.image.layer.v1.tar+zstd";
  private static final Pattern BLOB = Pattern.compile("blobs/(sha256|sha512)/([0-9a-f]+)");

  private final Map<Digest, String> names = new HashMap<>();
  private final RawManifest manifest;

  private DockerArchiveStore(NamedFiles files, LayoutName name) throws IOException {
    super(files);
    JsonValue document = JsonValue.parse(MANIFEST_FILE, small(MANIFEST_FILE));
    manifest = manifest(SavedImage.choose(SavedImage.readAll(document), name, files.toString()));
  }

  /// Opens an archive, and reads the headers of the tar, `manifest.json`, the configuration of the
  /// image, and the beginning of each layer.
  ///
  /// @throws IllegalArgumentException if the name in the reference begins with `@` and is not a
  ///   position; a digest is not accepted
  /// @throws SourceNotFoundException if the archive does not exist; if the archive does not contain
  ///   `manifest.json` or a file that `manifest.json` names; or if the reference matches no image
  ///   or several images
  /// @throws SourceDeniedException if this process may not read the archive
  /// @throws UnsupportedFeatureException if the archive is compressed, has sparse entries, or has
  ///   too many entries or too long names; if the name of a compressed layer does not contain a
  ///   digest; if a layer is compressed with a method other than gzip and zstd; or if a diff ID has
  ///   an unknown algorithm
  /// @throws MalformedImageException if the archive is not a complete tar, or if `manifest.json` or
  ///   the configuration is damaged or too long
  public static DockerArchiveStore open(SourceReference.Local reference) throws IOException {
    LayoutName name = LayoutName.parse(reference.name());
    NamedFiles files = ArchiveFiles.open(reference.path());
    try {
      return new DockerArchiveStore(files, name);
    } catch (IOException | RuntimeException e) {
      files.close();
      throw e;
    }
  }

  private byte[] small(String name) throws IOException {
    try (FileSection section = files.open(name)) {
      return section.asDocument(name).readAllBytes();
    }
  }

  private RawManifest manifest(SavedImage image) throws IOException {
    byte[] bytes = small(image.config());
    List<Digest> diffIds = ImageConfig.read(JsonValue.parse("configuration", bytes)).diffIds();
    if (diffIds.size() != image.layers().size()) {
      throw new MalformedImageException(
          MANIFEST_FILE,
          -1,
          "expected %s layers as in the configuration, found %s"
              .formatted(diffIds.size(), image.layers().size()));
    }
    Digest digest = Digest.of(Digest.Algorithm.SHA256, bytes);
    names.put(digest, image.config());
    ObjectNode manifest = JsonNodeFactory.instance.objectNode();
    manifest.put("schemaVersion", 2).put("mediaType", MediaTypes.DOCKER_MANIFEST);
    manifest.set("config", descriptor(MediaTypes.DOCKER_CONFIG, digest, bytes.length));
    ArrayNode layers = manifest.putArray("layers");
    for (int i = 0; i < diffIds.size(); i++) {
      layers.add(layer(image.layers().get(i), diffIds.get(i)));
    }
    return new RawManifest(MediaTypes.DOCKER_MANIFEST, digest, manifest);
  }

  private ObjectNode layer(String name, Digest diffId) throws IOException {
    try (FileSection section = files.open(name)) {
      long length = section.length();
      if (!(ArchiveFiles.head(section) instanceof Sniffed.Compressed(Compression compression))) {
        names.put(diffId, name);
        return descriptor(LAYER, diffId, length);
      }
      Optional<String> mediaType =
          switch (compression) {
            case GZIP -> Optional.of(GZIP_LAYER);
            case ZSTD -> Optional.of(ZSTD_LAYER);
            case XZ, BZIP2, LZ4 -> Optional.empty();
          };
      Optional<Digest> digest = named(name);
      if (mediaType.isEmpty() || digest.isEmpty()) {
        String reason =
            mediaType.isEmpty()
                ? "; expected gzip or zstd"
                : " and not named by its digest, so that it cannot be verified while it is read";
        throw new UnsupportedFeatureException(
            files
                + ": layer "
                + Quoted.of(name)
                + " is compressed with "
                + compression
                + reason
                + "; convert the archive first: skopeo copy docker-archive:FILE oci-archive:FILE");
      }
      names.put(digest.get(), name);
      return descriptor(mediaType.get(), digest.get(), length);
    }
  }

  private static Optional<Digest> named(String name) {
    Matcher matcher = BLOB.matcher(name);
    try {
      return matcher.matches()
          ? Optional.of(Digest.parse(matcher.group(1) + ":" + matcher.group(2)))
          : Optional.empty();
    } catch (IllegalArgumentException _) {
      // The text is not a digest, because it has the wrong length.
      return Optional.empty();
    }
  }

  private static ObjectNode descriptor(String mediaType, Digest digest, long size) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("mediaType", mediaType)
        .put("digest", digest.toString())
        .put("size", size);
  }

  @Override
  public RawManifest root() {
    return manifest;
  }

  /// Fails, because [#root] is not an index that could name another manifest.
  ///
  /// @throws SourceNotFoundException always
  @Override
  public RawManifest manifest(Descriptor descriptor) throws SourceNotFoundException {
    throw new SourceNotFoundException(
        "Cannot find manifest " + descriptor.digest() + " in " + files + ": it has no manifests");
  }

  @Override
  String fileName(Digest blob) throws SourceNotFoundException {
    String name = names.get(blob);
    if (name == null) {
      throw new SourceNotFoundException(
          "Cannot find " + blob + " in " + files + ": no such blob in the image");
    }
    return name;
  }
}

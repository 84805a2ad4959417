package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.ImageIndex;
import dev.pvcpopulators.registry.JsonValue;
import dev.pvcpopulators.registry.Manifest;
import dev.pvcpopulators.registry.ManifestDocument;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;

/// An OCI image layout, in a directory or in a tar (OCI image-spec 1.1, image-layout.md).
///
/// ```
/// oci-layout            {"imageLayoutVersion": "1.0.0"}
/// index.json            an index with named entries
/// blobs/sha256/…        manifests, configurations, layers
/// ```
public final class LayoutStore extends FileBlobStore {
  private static final String VERSION_FILE = "oci-layout";
  private static final String INDEX_FILE = "index.json";

  private final LayoutName name;

  private LayoutStore(NamedFiles files, LayoutName name) {
    super(files);
    this.name = name;
  }

  /// Opens a directory, or opens a tar and reads its headers.
  ///
  /// @throws IllegalArgumentException if the name in the reference begins with `@` and is neither a
  ///   digest nor a position
  /// @throws SourceNotFoundException if there is no such directory or file
  /// @throws SourceDeniedException if this process may not read the file, or may not search a
  ///   directory above the layout
  /// @throws UnsupportedFeatureException if the tar is compressed, has sparse entries, or has too
  ///   many entries or too long names
  /// @throws MalformedImageException if the file is not a complete tar
  public static LayoutStore open(SourceReference.Local reference) throws IOException {
    LayoutName name = LayoutName.parse(reference.name());
    return new LayoutStore(
        reference.transport() == SourceReference.Transport.LAYOUT
            ? new DirectoryFiles(reference.path())
            : ArchiveFiles.open(reference.path()),
        name);
  }

  @Override
  public RawManifest root() throws IOException {
    refuseOtherVersions();
    Optional<Descriptor> listed = name.choose(index(), files.toString());
    return manifest(
        listed.isEmpty() && name instanceof LayoutName.ByDigest(Digest digest)
            ? unlisted(digest)
            : listed.orElseThrow());
  }

  /// Returns a descriptor for a digest that is not in `index.json`. A nested index may name that
  /// digest. The size in the descriptor is the length of the file. The digest is verified when the
  /// file is read.
  private Descriptor unlisted(Digest digest) throws IOException {
    try (FileSection blob = files.open(fileName(digest))) {
      return new Descriptor("", digest, blob.length(), Map.of());
    }
  }

  /// Refuses versions of the layout other than 1.x. The specification requires the file
  /// `oci-layout`, but this method also accepts a layout without that file.
  private void refuseOtherVersions() throws IOException {
    if (!files.contains(VERSION_FILE)) {
      return;
    }
    String version = json(VERSION_FILE).field("imageLayoutVersion").name();
    if (!version.startsWith("1.")) {
      throw new UnsupportedFeatureException(
          files + ": expected imageLayoutVersion 1.0.0 in oci-layout, found another");
    }
  }

  private ImageIndex index() throws IOException {
    JsonValue document = json(INDEX_FILE);
    return switch (ManifestDocument.read(document, "")) {
      case ImageIndex index -> index;
      case Manifest _ -> throw document.wrong("an index");
    };
  }

  private JsonValue json(String file) throws IOException {
    try (FileSection section = files.open(file)) {
      return JsonValue.parse(file, section.asDocument(file).readAllBytes());
    }
  }

  @Override
  public RawManifest manifest(Descriptor descriptor) throws IOException {
    try (FileSection blob = files.open(fileName(descriptor.digest()))) {
      InputStream verified =
          blob.asDocument("manifest").verified(descriptor, TransferListener.NONE);
      return RawManifest.parse(
          descriptor.mediaType(), descriptor.digest(), verified.readAllBytes());
    }
  }

  @Override
  String fileName(Digest blob) {
    return "blobs/" + blob.toString().replace(':', '/');
  }
}

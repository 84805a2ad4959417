package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The document that a reference names: the manifest of one image, or an index of images. It has
/// the format of OCI or Docker (OCI image-spec 1.1, manifest.md, image-index.md, descriptor.md;
/// Docker image manifest version 2 schema 2).
///
/// The field `subject` is ignored. The fields `urls` and `data` of descriptors are ignored, too:
/// every blob is fetched from the store by its digest, so that its bytes have only one source.
public sealed interface ManifestDocument permits Manifest, ImageIndex {
  /// Reads a document of either type.
  ///
  /// The fields `manifests`, `layers` and `config` determine the type. The media type in the
  /// document and the media type that the source gave must not contradict these fields; both media
  /// types are optional. A document with the fields of both types is refused, because two readers
  /// could see two different images under one digest (CVE-2021-41190).
  ///
  /// @throws MalformedImageException if a required field is missing; if a field has the wrong type
  ///   or exceeds [RegistryLimits]; if the document has the fields of both types; or if a media
  ///   type contradicts the fields
  /// @throws UnsupportedFeatureException if the document has Docker's schema 1 or a schema version
  ///   other than 2, or if the algorithm of a digest is not in [Digest.Algorithm]
  static ManifestDocument read(RawManifest raw)
      throws MalformedImageException, UnsupportedFeatureException {
    return read(raw.root(), raw.mediaType());
  }

  /// Reads a parsed document. [#read(RawManifest)] states the checks and the exceptions.
  ///
  /// @param root the document
  /// @param stored the media type that the source gave; empty if it gave none
  static ManifestDocument read(JsonValue root, String stored)
      throws MalformedImageException, UnsupportedFeatureException {
    String own = root.field("mediaType").name();
    refuseOtherSchemas(root, stored, own);
    boolean index = root.field("manifests").present();
    boolean manifest = root.field("layers").present() || root.field("config").present();
    if (index && manifest) {
      throw root.wrong("either 'manifests' or 'config' and 'layers'", "both");
    }
    if (!index && !manifest) {
      throw root.wrong("'manifests', or 'config' and 'layers'", "none of them");
    }
    for (String mediaType : List.of(own, stored)) {
      if (index ? MediaTypes.manifest(mediaType) : MediaTypes.index(mediaType)) {
        throw root.wrong(
            (index ? "'config' and 'layers'" : "'manifests'") + " in " + mediaType,
            index ? "'manifests'" : "'config' or 'layers'");
      }
    }
    return index ? readIndex(root, own) : readManifest(root, own);
  }

  private static void refuseOtherSchemas(JsonValue root, String stored, String own)
      throws MalformedImageException, UnsupportedFeatureException {
    JsonValue version = root.field("schemaVersion");
    long schema = version.present() ? version.length() : 2;
    if (schema == 1 || MediaTypes.schema1(stored) || MediaTypes.schema1(own)) {
      throw new UnsupportedFeatureException(
          "manifest: Docker's schema 1 is not supported, because it names no sizes; push the"
              + " image again with a current tool, such as: skopeo copy --format v2s2");
    }
    if (schema != 2) {
      throw new UnsupportedFeatureException("manifest: expected schemaVersion 2, found " + schema);
    }
  }

  private static ImageIndex readIndex(JsonValue root, String mediaType)
      throws MalformedImageException, UnsupportedFeatureException {
    List<ImageIndex.Entry> entries = new ArrayList<>();
    for (JsonValue item : root.field("manifests").items(RegistryLimits.INDEX_ENTRIES)) {
      Platform platform = Platform.read(item.field("platform"));
      entries.add(
          new ImageIndex.Entry(
              readDescriptor(item),
              Optional.of(platform).filter(Platform::known),
              item.field("artifactType").name()));
    }
    return new ImageIndex(
        mediaType,
        root.field("artifactType").name(),
        entries,
        root.field("annotations").annotations());
  }

  private static Manifest readManifest(JsonValue root, String mediaType)
      throws MalformedImageException, UnsupportedFeatureException {
    List<Descriptor> layers = new ArrayList<>();
    for (JsonValue item : root.field("layers").items(RegistryLimits.LAYERS)) {
      layers.add(readDescriptor(item));
    }
    return new Manifest(
        mediaType,
        root.field("artifactType").name(),
        readDescriptor(root.field("config")),
        layers,
        root.field("annotations").annotations());
  }

  private static Descriptor readDescriptor(JsonValue object)
      throws MalformedImageException, UnsupportedFeatureException {
    if (!object.present()) {
      throw object.wrong("a descriptor");
    }
    return new Descriptor(
        object.field("mediaType").name(),
        object.field("digest").digest(),
        object.field("size").length(),
        object.field("annotations").annotations());
  }
}

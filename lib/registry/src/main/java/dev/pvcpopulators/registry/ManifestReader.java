package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Reads manifests and indexes of OCI and Docker (OCI image-spec 1.1, manifest.md, image-index.md,
/// descriptor.md; Docker image manifest version 2 schema 2).
///
/// The field `subject` is ignored. The fields `urls` and `data` of descriptors are ignored, too:
/// every blob is fetched from the store by its digest, so that its bytes have only one source.
final class ManifestReader {
  private static final int SCHEMA = 2;

  private ManifestReader() {}

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
    long schema = version.present() ? version.length() : SCHEMA;
    if (schema == 1 || MediaTypes.schema1(stored) || MediaTypes.schema1(own)) {
      throw new UnsupportedFeatureException(
          "manifest: Docker's schema 1 is not supported, because it names no sizes; push the"
              + " image again with a current tool, such as: skopeo copy --format v2s2");
    }
    if (schema != SCHEMA) {
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

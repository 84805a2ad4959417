package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Writes OCI layouts without an image tool, including layouts that no tool writes (OCI image-spec
/// 1.1, image-layout.md). In the JSON arguments, `'` stands for `"`.
///
/// @param directory the directory of the layout
public record LayoutBytes(Path directory) {
  /// A written blob.
  ///
  /// @param digest `sha256:…`
  public record Blob(String digest, int size) {
    /// Returns a descriptor of this blob.
    ///
    /// @param more further fields, each after a comma, such as `,'platform':{…}`, or an empty
    ///   string
    public String descriptor(String mediaType, String more) {
      return "{'mediaType':'%s','digest':'%s','size':%d%s}"
          .formatted(mediaType, digest, size, more);
    }
  }

  /// Creates a layout without an index.
  public static LayoutBytes in(Path directory) throws IOException {
    Files.createDirectories(directory.resolve("blobs/sha256"));
    LayoutBytes layout = new LayoutBytes(directory);
    layout.file("oci-layout", "{'imageLayoutVersion':'1.0.0'}");
    return layout;
  }

  public void file(String name, String json) throws IOException {
    Files.writeString(directory.resolve(name), json.replace('\'', '"'));
  }

  public void index(String... descriptors) throws IOException {
    file("index.json", indexOf(descriptors));
  }

  /// Writes an index as a blob.
  public Blob nested(String... descriptors) throws IOException {
    return json(indexOf(descriptors));
  }

  private static String indexOf(String... descriptors) {
    return "{'schemaVersion':2,'manifests':[" + String.join(",", descriptors) + "]}";
  }

  public Blob json(String json) throws IOException {
    return blob(json.replace('\'', '"').getBytes(UTF_8));
  }

  public Blob blob(byte[] content) throws IOException {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
      String hex = HexFormat.of().formatHex(hash);
      Files.write(directory.resolve("blobs/sha256").resolve(hex), content);
      return new Blob("sha256:" + hex, content.length);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /// Returns the path of a blob.
  public Path path(Blob blob) {
    return directory.resolve("blobs").resolve(blob.digest().replace(':', '/'));
  }

  /// Writes a configuration, one layer, and the manifest that refers to them.
  ///
  /// @param config the configuration as JSON
  public Blob manifest(String config, byte[] layer) throws IOException {
    String configDescriptor =
        json(config).descriptor("application/vnd.oci.image.config.v1+json", "");
    String layerDescriptor = blob(layer).descriptor("application/vnd.oci.image.layer.v1.tar", "");
    return json(
        "{'schemaVersion':2,'config':" + configDescriptor + ",'layers':[" + layerDescriptor + "]}");
  }
}

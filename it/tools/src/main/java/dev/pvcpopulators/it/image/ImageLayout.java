package dev.pvcpopulators.it.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// An OCI image layout on disk (OCI image-spec 1.1, image-layout.md). `tar` and compression
/// programs make the layers; this class writes the JSON documents. Each method that adds a blob,
/// such as a layer or a manifest, returns the blob's descriptor.
public final class ImageLayout {
  /// The name of the image in a layout that has only one image.
  public static final String LATEST = "latest";

  private static final int BLOCK = 1 << 20;

  private final Path directory;
  private final Map<String, Content> tags = new LinkedHashMap<>();

  private ImageLayout(Path directory) {
    this.directory = directory;
  }

  /// Creates an empty layout.
  public static ImageLayout in(Path parent, String name) throws IOException {
    Path directory = Files.createDirectory(parent.resolve(name));
    Files.createDirectories(directory.resolve("blobs/sha256"));
    Files.writeString(directory.resolve("oci-layout"), "{\"imageLayoutVersion\": \"1.0.0\"}");
    return new ImageLayout(directory);
  }

  /// Opens an existing layout.
  public static ImageLayout at(Path directory) throws IOException {
    ImageLayout layout = new ImageLayout(directory);
    for (JsonNode entry : Json.file(directory.resolve("index.json")).path("manifests")) {
      layout.tags.put(
          entry.path("annotations").path("org.opencontainers.image.ref.name").asText(),
          Content.of(
              entry.path("mediaType").asText(),
              entry.path("digest").asText(),
              entry.path("size").asLong()));
    }
    return layout;
  }

  /// Creates a layout with one containerDisk for linux/amd64. The directory /disk of the
  /// containerDisk contains the disk image.
  public static ImageLayout containerDisk(
      Path parent, String name, Family family, Packing packing, Path image) throws IOException {
    ImageLayout layout = in(parent, name);
    LayerTree tree =
        LayerTree.in(parent, name + ".tree").file("disk/" + image.getFileName(), image);
    layout.tag(LATEST, layout.image(family, List.of(layout.layer(family, packing, tree))));
    return layout;
  }

  public Path directory() {
    return directory;
  }

  /// Returns `oci:DIRECTORY:NAME`.
  public String reference(String name) {
    return "oci:" + directory + ":" + name;
  }

  /// Returns the layers of a named image, from the bottom up. The name must refer to a manifest,
  /// not to an index.
  public List<Content> layers(String name) throws IOException {
    List<Content> layers = new ArrayList<>();
    for (JsonNode layer : Json.file(path(tagged(name))).path("layers")) {
      layers.add(
          Content.of(
              layer.path("mediaType").asText(),
              layer.path("digest").asText(),
              layer.path("size").asLong()));
    }
    return layers;
  }

  /// Returns the path of a blob.
  public Path path(Content content) {
    return directory.resolve("blobs/sha256").resolve(content.hex());
  }

  /// Returns the paths of all blobs in the layout, including manifests.
  public List<Path> blobs() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("blobs/sha256"))) {
      return files.sorted().toList();
    }
  }

  /// Returns the descriptor of the manifest or index that has this name. Fails the test if no
  /// manifest or index has this name.
  public Content tagged(String name) {
    Content found = tags.get(name);
    if (found == null) {
      throw new AssertionError("No image has the name " + name);
    }
    return found;
  }

  /// Adds a file as a blob. The blob is a hard link to the file. Therefore the file must not
  /// change, and must be in the file system of the layout.
  public Content blob(String mediaType, Path file) throws IOException {
    Content content = Content.of(mediaType, digest(file), Files.size(file));
    if (Files.notExists(path(content))) {
      Files.createLink(path(content), file);
    }
    return content;
  }

  public Content blob(String mediaType, byte[] bytes) throws IOException {
    Content content = Content.of(mediaType, digest(bytes), bytes.length);
    Files.write(path(content), bytes);
    return content;
  }

  /// Adds a tree as a layer.
  public Content layer(Family family, Packing packing, LayerTree tree) throws IOException {
    Path tar = Files.createTempFile(directory, "layer", ".tar");
    try {
      tree.pack(tar);
      return layer(family, packing, tar);
    } finally {
      Files.delete(tar);
    }
  }

  /// Adds a tar as a layer.
  public Content layer(Family family, Packing packing, Path tar) throws IOException {
    Path packed = Files.createTempFile(directory, "layer", ".packed");
    try {
      packing.pack(tar, packed);
      return blob(packing.mediaType(family), packed).of(digest(tar));
    } finally {
      Files.delete(packed);
    }
  }

  /// Adds an image for linux/amd64.
  ///
  /// @param layers the layers, from the bottom up
  public Content image(Family family, List<Content> layers) throws IOException {
    return image(family, "amd64", layers, Map.of(), List.of());
  }

  /// Adds an image.
  ///
  /// @param layers the layers, from the bottom up
  /// @param environment environment variables in the form `NAME=VALUE`
  public Content image(
      Family family,
      String architecture,
      List<Content> layers,
      Map<String, String> labels,
      List<String> environment)
      throws IOException {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    config.put("architecture", architecture).put("os", "linux");
    ObjectNode process = config.putObject("config");
    ObjectNode labelled = process.putObject("Labels");
    labels.forEach(labelled::put);
    ArrayNode variables = process.putArray("Env");
    environment.forEach(variables::add);
    ObjectNode rootfs = config.putObject("rootfs").put("type", "layers");
    ArrayNode diffIds = rootfs.putArray("diff_ids");
    layers.forEach(layer -> diffIds.add(layer.diffId()));
    return manifest(family, "", document(family.config(), config), layers)
        .forPlatform(architecture);
  }

  /// Adds a manifest for an existing configuration.
  ///
  /// @param artifactType the artifact type; omitted if empty
  public Content manifest(Family family, String artifactType, Content config, List<Content> layers)
      throws IOException {
    ObjectNode manifest = JsonNodeFactory.instance.objectNode();
    manifest.put("schemaVersion", 2).put("mediaType", family.manifest());
    if (!artifactType.isEmpty()) {
      manifest.put("artifactType", artifactType);
    }
    manifest.set("config", config.descriptor());
    ArrayNode array = manifest.putArray("layers");
    layers.forEach(layer -> array.add(layer.descriptor()));
    return document(family.manifest(), manifest);
  }

  /// Adds an index of existing manifests.
  public Content index(Family family, List<Content> manifests) throws IOException {
    ObjectNode index = JsonNodeFactory.instance.objectNode();
    index.put("schemaVersion", 2).put("mediaType", family.index());
    ArrayNode array = index.putArray("manifests");
    manifests.forEach(manifest -> array.add(manifest.descriptor()));
    return document(family.index(), index);
  }

  /// Adds a JSON document as a blob.
  public Content document(String mediaType, ObjectNode document) throws IOException {
    return blob(mediaType, document.toString().getBytes(UTF_8));
  }

  /// Gives an image a name in `index.json`. If another image has this name, that image loses the
  /// name.
  public void tag(String name, Content top) throws IOException {
    tags.put(name, top.forPlatform(""));
    ObjectNode index = JsonNodeFactory.instance.objectNode().put("schemaVersion", 2);
    ArrayNode array = index.putArray("manifests");
    for (Map.Entry<String, Content> tag : tags.entrySet()) {
      array.add(
          tag.getValue().annotated("org.opencontainers.image.ref.name", tag.getKey()).descriptor());
    }
    Files.writeString(directory.resolve("index.json"), index.toString());
  }

  /// Creates a directory with a named image in the format of skopeo's transport `dir:`, and returns
  /// the path of the directory. This format accepts both families of media types.
  public Path asDirectory(String name) throws IOException {
    Path other = Files.createTempDirectory(directory, "dir");
    Files.writeString(other.resolve("version"), "Directory Transport Version: 1.1\n");
    Content top = tagged(name);
    List<String> documents = new ArrayList<>();
    if (top.mediaType().equals(Family.OCI.index())
        || top.mediaType().equals(Family.DOCKER.index())) {
      Json.file(path(top))
          .path("manifests")
          .forEach(
              entry -> documents.add(entry.path("digest").asText().substring("sha256:".length())));
    }
    Files.createLink(other.resolve("manifest.json"), path(top));
    for (Path blob : blobs()) {
      String file = blob.getFileName().toString();
      Files.createLink(
          other.resolve(documents.contains(file) ? file + ".manifest.json" : file), blob);
    }
    return other;
  }

  public static String digest(Path file) throws IOException {
    MessageDigest sha256 = sha256();
    byte[] block = new byte[BLOCK];
    try (InputStream in = Files.newInputStream(file)) {
      for (int read = in.read(block); read >= 0; read = in.read(block)) {
        sha256.update(block, 0, read);
      }
    }
    return "sha256:" + HexFormat.of().formatHex(sha256.digest());
  }

  public static String digest(byte[] bytes) {
    return "sha256:" + HexFormat.of().formatHex(sha256().digest(bytes));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }
}

package dev.pvcpopulators.registry.disk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Reads an image into memory from a small OCI layout that another program wrote.
final class OciLayout {
  private OciLayout() {}

  static Image read(Path layout, FakeStore store) throws IOException {
    ObjectMapper json = new ObjectMapper();
    JsonNode index = json.readTree(layout.resolve("index.json").toFile());
    JsonNode manifest = json.readTree(blob(layout, index.get("manifests").get(0)));
    List<Descriptor> layers = new ArrayList<>();
    for (JsonNode layer : manifest.get("layers")) {
      layers.add(store.add(layer.get("mediaType").asText(), blob(layout, layer)));
    }
    return FakeStore.image(layers.toArray(Descriptor[]::new));
  }

  private static byte[] blob(Path layout, JsonNode descriptor) throws IOException {
    String hex = descriptor.get("digest").asText().substring("sha256:".length());
    return Files.readAllBytes(layout.resolve("blobs/sha256").resolve(hex));
  }
}

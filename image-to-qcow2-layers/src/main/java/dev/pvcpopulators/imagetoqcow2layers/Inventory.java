package dev.pvcpopulators.imagetoqcow2layers;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.imagetoqcow2layers.machine.Machines;
import dev.pvcpopulators.imagetoqcow2layers.machine.MadeImage;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Reports the content of a store: its machines, its layers with their sizes, and the machines that
/// use each layer.
public class Inventory extends Report {
  private static final String UNFINISHED = ".";

  private final StoreLayout store;

  @Inject
  Inventory(PopulatorSettings shared, LayersSettings settings) {
    this.store = StoreLayout.of(shared, settings);
  }

  @Override
  ObjectNode document() throws IOException {
    Map<String, MadeImage> machines = new Machines(store.images()).all();
    Map<String, Long> sizes = sizes();
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("store", store.root().toString());
    ArrayNode shown = document.putArray("images");
    machines.forEach((name, made) -> shown.add(machine(name, made, machines, sizes)));
    ArrayNode layers = document.putArray("layers");
    long total = 0;
    for (Map.Entry<String, Long> layer : sizes.entrySet()) {
      ArrayNode users =
          layers
              .addObject()
              .put("file", layer.getKey())
              .put("bytes", layer.getValue())
              .putArray("images");
      machines.forEach((name, made) -> {
        if (made.layers().contains(layer.getKey())) {
          users.add(name);
        }
      });
      total += layer.getValue();
    }
    return document.put("layerBytes", total);
  }

  private ObjectNode machine(
      String name, MadeImage made, Map<String, MadeImage> machines, Map<String, Long> sizes) {
    long own = 0;
    long shared = 0;
    for (String layer : made.layers()) {
      long users = machines.values().stream().filter(it -> it.layers().contains(layer)).count();
      long bytes = sizes.getOrDefault(layer, 0L);
      own += users == 1 ? bytes : 0;
      shared += users == 1 ? 0 : bytes;
    }
    return JsonNodeFactory.instance
        .objectNode()
        .put("name", name)
        .put("image", made.image())
        .put("digest", made.digest())
        .put("layers", made.layers().size())
        .put("ownLayerBytes", own)
        .put("sharedLayerBytes", shared)
        .put(
            "missingLayers",
            made.layers().stream().filter(layer -> !sizes.containsKey(layer)).count());
  }

  /// Returns the sizes of the layer files in bytes, by file name. Omits incomplete files.
  private Map<String, Long> sizes() throws IOException {
    Map<String, Long> sizes = new TreeMap<>();
    if (!Files.isDirectory(store.layers())) {
      return sizes;
    }
    try (Stream<Path> listing = Files.list(store.layers())) {
      for (Path file : listing.filter(Files::isRegularFile).toList()) {
        String name = file.getFileName().toString();
        if (!name.startsWith(UNFINISHED)) {
          sizes.put(name, Files.size(file));
        }
      }
    }
    return sizes;
  }
}

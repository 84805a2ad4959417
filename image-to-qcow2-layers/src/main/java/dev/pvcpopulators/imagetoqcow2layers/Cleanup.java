package dev.pvcpopulators.imagetoqcow2layers;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.imagetoqcow2layers.machine.Machines;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerStore;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.linux.LockFile;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Removes the layers that no virtual machine in the store (see [Machines]) uses, and reports the
/// removed layers.
public class Cleanup extends Report {
  private final StoreLayout store;

  @Inject
  Cleanup(PopulatorSettings shared, LayersSettings settings) {
    this.store = StoreLayout.of(shared, settings);
  }

  @Override
  ObjectNode document() throws IOException, VolumeException {
    List<LayerStore.Removed> removed =
        run(store)
            .orElseThrow(() ->
                new VolumeException(
                    new Failure.VolumeBusy(
                        "Collecting layers in "
                            + store.root()
                            + ": expected no running conversion, found one")));
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("store", store.root().toString());
    removed.forEach(layer ->
        document
            .withArray("removed")
            .addObject()
            .put("file", layer.fileName())
            .put("bytes", layer.bytes()));
    return document.put(
        "removedBytes", removed.stream().mapToLong(LayerStore.Removed::bytes).sum());
  }

  /// Removes the layers that no machine uses.
  ///
  /// @return the removed layers; an empty `Optional` if nothing was removed because a conversion or
  ///   another clean-up is running
  static Optional<List<LayerStore.Removed>> run(StoreLayout store) throws IOException {
    Optional<LockFile> lock = store.tryLockToCollect();
    if (lock.isEmpty()) {
      return Optional.empty();
    }
    try (LockFile _ = lock.get()) {
      Machines machines = new Machines(store.images());
      // If a crash interrupted the replacement of a machine, `removeLeftovers` restores the
      // machine's name. Otherwise, the clean-up would remove the layers of this machine.
      machines.removeLeftovers();
      Set<String> needed =
          machines.all().values().stream()
              .flatMap(made -> made.layers().stream())
              .collect(Collectors.toSet());
      LayerStore layers = LayerStore.open(store.layers());
      layers.removeLeftovers();
      return Optional.of(layers.collect(needed));
    }
  }
}

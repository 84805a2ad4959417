package dev.pvcpopulators.imagetoqcow2layers;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.imagetoqcow2layers.boot.GuestKernel;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.imagetoqcow2layers.machine.Machines;
import dev.pvcpopulators.imagetoqcow2layers.machine.MadeImage;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerKey;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerStore;
import dev.pvcpopulators.imagetoqcow2layers.store.StackConversion;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/// Reports what a conversion would do: the digest of the image's manifest, the layers, whether each
/// layer needs a pull, and the number of bytes to pull. A plan pulls no layer and writes nothing.
public class Plan extends Report {
  /// The name of a setting that is true if this process is a plan, an [Inventory] or a [Cleanup].
  /// These processes do not remove leftovers from the store at their start.
  static final String LOOKING_ONLY = "looking-only";

  private final LayersSettings settings;
  private final ClaimName claim;
  private final DiskVolume volume;
  private final StoreLayout store;

  Plan(PopulatorSettings shared, LayersSettings settings, ClaimName claim, DiskVolume volume) {
    this.settings = settings;
    this.claim = claim;
    this.volume = volume;
    this.store = StoreLayout.of(shared, settings);
  }

  @Override
  ObjectNode document() throws VolumeException {
    LayersRequest asked = LayersRequest.of(settings, VolumeRequest.empty());
    RegistryAccess registries = new RegistryAccess(settings, LayersRequest.PREFIX);
    try (ImageSource source = registries.open(asked.image())) {
      Image image = source.resolve(asked.image().choice());
      ImageStack stack = ImageStack.of(image, asked);
      // `LayerStore.open` would create the directory of the layers, but a plan must not create it.
      int shared =
          Files.isDirectory(store.layers())
              ? StackConversion.shared(
                  stack.stack(), source.blobs(), LayerStore.open(store.layers(), asked.registry()))
              : 0;
      ObjectNode plan = new ConversionReport(asked.reference()).resolved(image, shared);
      layers(plan, stack, shared);
      plan.put("pulledBytes", stack.bytes(shared));
      plan.put("virtualSize", asked.geometry().size());
      machine(plan, asked, stack);
      return plan;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VolumeException(
          new Failure.SourceUnavailable("Reading " + asked.reference() + ": interrupted"), e);
    } catch (IOException e) {
      throw new VolumeException(LayersFailures.of(e, asked, store, volume), e);
    }
  }

  private static void layers(ObjectNode plan, ImageStack stack, int shared) {
    List<LayerSource> sources = stack.stack().layers();
    List<LayerKey> keys = stack.stack().keys();
    plan.put("layerCount", keys.size()).remove("layers");
    for (int i = sources.size() - 1; i >= 0; i--) {
      LayerSource layer = sources.get(i);
      LayerKey key = keys.get(i);
      plan.withArray("layers")
          .addObject()
          .put("digest", layer.descriptor().digest().toString())
          .put("size", layer.descriptor().size())
          .put("diffId", layer.diffId().toString())
          .put("chainId", key.chainId().toString())
          .put("file", key.fileName())
          .put("shared", i < shared);
    }
  }

  private void machine(ObjectNode plan, LayersRequest asked, ImageStack stack) throws IOException {
    Machines machines = new Machines(store.images());
    Optional<GuestKernel> kernel = GuestKernel.find(settings.kernel());
    Optional<MadeImage> present = machines.find(asked.name());
    ObjectNode machine = JsonNodeFactory.instance.objectNode();
    machine.put("directory", machines.home(asked.name()).toString());
    machine.put("occupied", present.isPresent());
    machine.put("same", present.filter(stack.made(asked, claim, kernel)::equals).isPresent());
    machine.put("kernel", kernel.map(GuestKernel::release).orElse("none"));
    plan.set("machine", machine);
  }
}

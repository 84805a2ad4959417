package dev.pvcpopulators.registrycopy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.pipeline.DiskProbe;
import dev.pvcpopulators.diskimage.pipeline.ProbedImage;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.disk.ExistingDisk;
import dev.pvcpopulators.kit.job.DocumentPrinter;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.disk.DiskSearch;
import dev.pvcpopulators.registry.disk.FoundDisk;
import dev.pvcpopulators.registry.disk.SearchListener;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import io.quarkus.runtime.QuarkusApplication;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Prints one document that describes the planned copy: manifest, layer, disk, size, and whether
/// the disk fits. Pulls the layer with the disk only up to the end of the disk's header. Searched
/// layers without the disk are pulled completely.
public class DryRun implements QuarkusApplication {
  private final RegistryCopySettings settings;
  private final DiskVolume volume;
  private final DocumentPrinter findings;

  DryRun(RegistryCopySettings settings, DiskVolume volume, DocumentPrinter findings) {
    this.findings = findings;
    this.settings = settings;
    this.volume = volume;
  }

  @Override
  public int run(String... arguments) {
    try {
      return findings.tell(plan());
    } catch (VolumeException e) {
      return findings.tell(e.failure());
    }
  }

  private ObjectNode plan() throws VolumeException {
    ChosenDisk asked = Copy.chosen(settings, VolumeRequest.empty());
    try (ImageSource source = Copy.open(settings, asked)) {
      Image image = source.resolve(asked.image().choice());
      ObjectNode plan = new CopyReport(asked.reference()).resolved(image);
      plan.put("mediaType", image.manifest().mediaType());
      try (FoundDisk disk =
              DiskSearch.find(image, source.blobs(), asked.path(), SearchListener.NONE);
          InputStream bytes = disk.open()) {
        ProbedImage probed = DiskProbe.probe(bytes, disk.length(), asked.format());
        layers(plan, image.manifest().layers(), disk);
        plan.set("disk", disk(disk, probed));
        plan.set(
            "volume",
            ExistingDisk.describe(
                volume,
                settings.verify(),
                probed.virtualSize(),
                record -> asked.made(image, record)));
      }
      return plan;
    } catch (IOException e) {
      throw new VolumeException(volume.failureOfSource(e, "Reading " + asked.reference()), e);
    }
  }

  private static void layers(ObjectNode plan, List<Descriptor> layers, FoundDisk disk) {
    Set<Descriptor> searched = new HashSet<>(disk.searched());
    long pulled = 0;
    for (Descriptor layer : layers.reversed()) {
      boolean read = searched.contains(layer);
      pulled += read ? layer.size() : 0;
      plan.withArray("layers")
          .addObject()
          .put("digest", layer.digest().toString())
          .put("size", layer.size())
          .put("mediaType", layer.mediaType())
          .put("pulled", read)
          .put("disk", layer.equals(disk.layer()));
    }
    plan.put("pulledBytes", pulled);
  }

  private static ObjectNode disk(FoundDisk found, ProbedImage probed) {
    ObjectNode disk = JsonNodeFactory.instance.objectNode().put("path", found.path());
    found.length().ifPresent(length -> disk.put("size", length));
    disk.put("format", probed.format().wrappedIn(probed.wrapping()));
    probed.virtualSize().ifPresent(size -> disk.put("virtualSize", size));
    return disk;
  }
}

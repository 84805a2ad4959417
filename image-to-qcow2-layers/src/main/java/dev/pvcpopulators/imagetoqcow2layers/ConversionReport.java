package dev.pvcpopulators.imagetoqcow2layers;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.terminal.SteadyClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// The details of a conversion. A detail is added as soon as it is known. The status shows the
/// details, and the result of a job also contains the details.
///
/// | Field          | Meaning                                                             |
/// |----------------|---------------------------------------------------------------------|
/// | `image`        | the reference of the image                                          |
/// | `digest`       | the digest of the manifest                                          |
/// | `platform`     | the platform that the image states                                  |
/// | `layers`       | the number of layers of the image                                   |
/// | `sharedLayers` | the number of layers, counted from the bottom, that need no pull    |
/// | `layer`        | number, digest and percentage of the layer that is being applied;   |
/// |                | absent at the end                                                   |
/// | `machine`      | the directory of the machine                                        |
/// | `bootable`     | whether the machine has a kernel beside its disk                    |
/// | `layerBytes`   | bytes of the layer files that this conversion made                  |
/// | `seconds`      | the time from the request to the end, in seconds                    |
/// | `skipped`      | true if machine and flattened disk (if requested) existed already   |
final class ConversionReport {
  private static final int PLATFORM_SHOWN = 60;

  private final ObjectNode fields = JsonNodeFactory.instance.objectNode();
  private final Instant started = SteadyClock.system().instant();

  ConversionReport(SourceReference reference) {
    fields.put("image", reference.toString());
  }

  ObjectNode resolved(Image image, int shared) {
    fields.put("digest", image.digest().toString());
    image
        .platform()
        .ifPresent(
            platform -> fields.put("platform", Quoted.plain(platform.toString(), PLATFORM_SHOWN)));
    fields.put("layers", image.manifest().layers().size());
    return fields.put("sharedLayers", shared);
  }

  ObjectNode layer(int number, String digest, int percent) {
    fields.putObject("layer").put("number", number).put("digest", digest).put("percent", percent);
    return fields;
  }

  ObjectNode made(Path machine, boolean bootable, long layerBytes) {
    fields.put("bootable", bootable).put("layerBytes", layerBytes);
    return ended(machine, false);
  }

  ObjectNode skipped(Path machine) {
    return ended(machine, true);
  }

  private ObjectNode ended(Path machine, boolean skipped) {
    fields.remove("layer");
    double seconds = Duration.between(started, SteadyClock.system().instant()).toMillis() / 1000.0;
    return fields
        .put("machine", machine.toString())
        .put("seconds", seconds)
        .put("skipped", skipped);
  }
}

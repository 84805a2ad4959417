package dev.pvcpopulators.imagetoqcow2layers;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.imagetoqcow2layers.boot.GuestKernel;
import dev.pvcpopulators.imagetoqcow2layers.boot.ProcessOverrides;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.imagetoqcow2layers.machine.MadeImage;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerKey;
import dev.pvcpopulators.imagetoqcow2layers.store.StackConversion;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// An image and the stack of layers made from it.
///
/// @param image the image for one platform
/// @param config the configuration of the image
/// @param stack the layers of the image
record ImageStack(Image image, ImageConfig config, StackConversion.Stack stack) {
  /// The number of hexadecimal digits of a fingerprint. 64 bits are enough to distinguish different
  /// settings of one machine.
  private static final int FINGERPRINT = 16;

  /// The version of the files beside a machine's disks. Must be increased whenever a change of this
  /// code changes the content of these files. The next conversion then replaces these files of an
  /// existing machine, but keeps the machine's disks.
  private static final int BOOT_VERSION = 1;

  /// Returns an image with the stack of its layers. The stack has the file system geometry and the
  /// compression that the request selects.
  ///
  /// @throws UnsupportedFeatureException if the image is an artifact, or has no layers
  /// @throws MalformedImageException if the numbers of layers in the manifest and in the
  ///   configuration differ
  static ImageStack of(Image image, LayersRequest asked) throws IOException {
    List<LayerSource> layers = LayerSource.of(image);
    return new ImageStack(
        image,
        image.config().orElseThrow(),
        new StackConversion.Stack(layers, asked.geometry(), asked.compression()));
  }

  /// Returns the total size of the layers' blobs in bytes.
  ///
  /// @param present the number of layers, counted from the bottom, that need no pull; the sum does
  ///   not include their blobs
  long bytes(int present) {
    return stack.layers().stream()
        .skip(present)
        .mapToLong(layer -> layer.descriptor().size())
        .sum();
  }

  /// Returns the record of the inputs from which a machine's directory is made.
  MadeImage made(LayersRequest asked, ClaimName claim, Optional<GuestKernel> kernel) {
    String disk =
        "size=%s;compression=%s;journal=%s;data=%s"
            .formatted(
                asked.geometry().size(),
                asked.compression(),
                asked.journal(),
                asked.dataGeometry().map(data -> Long.toString(data.size())).orElse("none"));
    String boot =
        "files=%s;claim=%s;kernel=%s;process=%s"
            .formatted(
                BOOT_VERSION,
                claim.value(),
                kernel.map(GuestKernel::release).orElse("none"),
                fingerprint(asked.overrides()));
    return new MadeImage(
        asked.reference().toString(),
        image.digest().toString(),
        disk,
        boot,
        stack.keys().stream().map(LayerKey::fileName).toList());
  }

  /// Returns an array with the given list as its only element, or an empty array if no list is
  /// given. Therefore the results for an empty list and for no list differ.
  private static ArrayNode words(Optional<List<String>> given) {
    ArrayNode words = JsonNodeFactory.instance.arrayNode();
    given.ifPresent(list -> list.forEach(words.addArray()::add));
    return words;
  }

  /// Returns a short hash of the overrides. [MadeImage#boot] contains this hash instead of the
  /// overrides.
  private static String fingerprint(ProcessOverrides overrides) {
    ArrayNode words = JsonNodeFactory.instance.arrayNode();
    words.add(words(overrides.entrypoint()));
    words.add(words(overrides.command()));
    words.add(words(Optional.of(overrides.environment())));
    words.add(words(overrides.user().map(List::of)));
    words.add(words(overrides.workingDirectory().map(List::of)));
    words.add(overrides.hostname());
    byte[] text = words.toString().getBytes(UTF_8);
    return Digest.of(Digest.Algorithm.SHA256, text).hex().substring(0, FINGERPRINT);
  }
}

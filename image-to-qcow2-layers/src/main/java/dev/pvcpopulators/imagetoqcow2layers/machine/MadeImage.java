package dev.pvcpopulators.imagetoqcow2layers.machine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The record of the inputs from which a machine's directory was made.
///
/// @param image the reference of the image
/// @param digest the digest of the manifest
/// @param disk the inputs of the machine's disks except digest and layers. Two machines with equal
///   disk inputs, digests and layers get equal disks
/// @param boot the inputs of the machine's other files: the version of these files, the claim's
///   name, the kernel's release and the overrides. If an input differs, a conversion makes these
///   files again
/// @param layers the file names of the layers, from the bottom up
public record MadeImage(
    String image, String digest, String disk, String boot, List<String> layers) {
  /// The name of the record's file in the machine's directory.
  public static final String FILE = ".made.json";

  public MadeImage {
    layers = List.copyOf(layers);
  }

  /// Returns whether the disks of two machines were made from equal inputs. Does not compare the
  /// data that the machines have written to their disks.
  public boolean sameDisks(MadeImage other) {
    return digest.equals(other.digest) && disk.equals(other.disk) && layers.equals(other.layers);
  }

  /// Returns whether a flattened disk was made from the same image and disk inputs as this machine.
  public boolean flattenedTo(DiskRecord record) {
    return record.sourceDigest().equals(digest) && record.selection().equals(disk);
  }

  public ObjectNode document() {
    ObjectNode document =
        JsonNodeFactory.instance
            .objectNode()
            .put("image", image)
            .put("digest", digest)
            .put("disk", disk)
            .put("boot", boot);
    ArrayNode names = document.putArray("layers");
    layers.forEach(names::add);
    return document;
  }

  /// Reads a document that [#document] has written.
  ///
  /// @throws IOException if the document is not the record of a machine
  public static MadeImage read(JsonNode document) throws IOException {
    List<String> layers = new ArrayList<>();
    for (JsonNode name : document.path("layers")) {
      layers.add(name.asText());
    }
    MadeImage made =
        new MadeImage(
            document.path("image").asText(),
            document.path("digest").asText(),
            document.path("disk").asText(),
            document.path("boot").asText(),
            layers);
    if (made.digest.isEmpty() || layers.isEmpty()) {
      throw new IOException("expected the record of a machine, found something else");
    }
    return made;
  }
}

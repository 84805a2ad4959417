package dev.pvcpopulators.registrystreamiscsi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What a LUN's directory says of it, so that a restarted service exports it again.
///
/// @param lun its number
/// @param image key of the image in the cache
/// @param identity what initiators know it by, over any path and after a restart
/// @param words what was asked for, in words; a LUN of the settings is exported again only where
///   they still ask for the same
/// @param request of the client that asked for it; null where the settings did
/// @param cloned what it was cloned from, where it has all of it and needs the image no more
/// @param discredited why its image was not what it should be, after the LUN had been written to:
///   parts of blocks may have been taken from that image
record LunRecord(
    int lun,
    String image,
    String identity,
    String words,
    @Nullable VolumeRequest request,
    @Nullable ImageRecord cloned,
    @Nullable String discredited) {
  /// A LUN that there was not before.
  static LunRecord anew(int lun, String image, String words, @Nullable VolumeRequest request) {
    String identity = UUID.randomUUID().toString();
    return new LunRecord(lun, image, identity, words, request, null, null);
  }

  /// The same LUN, cloned in whole from now on.
  LunRecord clonedFrom(ImageRecord source) {
    return new LunRecord(lun, image, identity, words, request, source, discredited);
  }

  /// The same LUN, as it is asked for now.
  LunRecord in(String asked) {
    return new LunRecord(lun, image, identity, asked, request, cloned, discredited);
  }

  /// The same LUN, which cannot be trusted any more.
  LunRecord discreditedBy(String reason) {
    return new LunRecord(lun, image, identity, words, request, cloned, reason);
  }

  ObjectNode document() {
    ObjectNode document =
        JsonNodeFactory.instance
            .objectNode()
            .put("lun", lun)
            .put("image", image)
            .put("identity", identity)
            .put("words", words);
    if (request != null) {
      document.set("request", request.fields());
    }
    if (cloned != null) {
      document.set("cloned", cloned.document());
    }
    if (discredited != null) {
      document.put("discredited", discredited);
    }
    return document;
  }

  static LunRecord read(JsonNode document) {
    return new LunRecord(
        document.path("lun").asInt(),
        document.path("image").asText(),
        document.path("identity").asText(),
        document.path("words").asText(),
        document.path("request") instanceof ObjectNode fields ? new VolumeRequest(fields) : null,
        document.path("cloned") instanceof ObjectNode source ? ImageRecord.read(source) : null,
        document.hasNonNull("discredited") ? document.path("discredited").asText() : null);
  }
}

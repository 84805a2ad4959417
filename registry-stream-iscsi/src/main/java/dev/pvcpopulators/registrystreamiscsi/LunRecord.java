package dev.pvcpopulators.registrystreamiscsi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.VolumeRequest;
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
record LunRecord(
    int lun,
    String image,
    String identity,
    String words,
    @Nullable VolumeRequest request,
    @Nullable ImageRecord cloned) {
  /// The same LUN, cloned in whole from now on.
  LunRecord clonedFrom(ImageRecord source) {
    return new LunRecord(lun, image, identity, words, request, source);
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
    return document;
  }

  static LunRecord read(JsonNode document) {
    return new LunRecord(
        document.path("lun").asInt(),
        document.path("image").asText(),
        document.path("identity").asText(),
        document.path("words").asText(),
        document.path("request") instanceof ObjectNode fields ? new VolumeRequest(fields) : null,
        document.path("cloned") instanceof ObjectNode source ? ImageRecord.read(source) : null);
  }
}

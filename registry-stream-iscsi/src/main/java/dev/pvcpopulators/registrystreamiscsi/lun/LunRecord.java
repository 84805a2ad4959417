package dev.pvcpopulators.registrystreamiscsi.lun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.registrystreamiscsi.image.ImageRecord;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The record of a LUN, stored in the LUN's directory. From this record, a restarted service
/// exports the LUN again.
///
/// @param lun the LUN's number
/// @param image key of the image in the cache
/// @param identity the identity that the LUN reports to initiators; it is the same on every path to
///   the LUN and after a restart
/// @param words the request as text; a restarted service compares it with the requests of the
///   settings
/// @param request the client's request; null for a LUN of the settings
/// @param cloned the source of a complete clone, which no longer needs the image; null if the LUN
///   is not a complete clone
/// @param discredited the reason why the image has wrong content; null if no wrong content is
///   known. The reason is recorded only for a LUN whose overlays have data, because these data may
///   contain parts of the wrong content
public record LunRecord(
    int lun,
    String image,
    String identity,
    String words,
    @Nullable VolumeRequest request,
    @Nullable ImageRecord cloned,
    @Nullable String discredited) {
  /// Returns the record of a new LUN.
  public static LunRecord anew(
      int lun, String image, String words, @Nullable VolumeRequest request) {
    String identity = UUID.randomUUID().toString();
    return new LunRecord(lun, image, identity, words, request, null, null);
  }

  /// Returns the record of this LUN as a complete clone.
  public LunRecord clonedFrom(ImageRecord source) {
    return new LunRecord(lun, image, identity, words, request, source, discredited);
  }

  /// Returns the record of this LUN with another value of `words`. The field `request` does not
  /// change.
  ///
  /// @param asked the text of the request for this LUN after the restart
  LunRecord in(String asked) {
    return new LunRecord(lun, image, identity, asked, request, cloned, discredited);
  }

  /// Returns the record of this LUN with the reason why the image has wrong content.
  public LunRecord discreditedBy(String reason) {
    return new LunRecord(lun, image, identity, words, request, cloned, reason);
  }

  /// Returns whether a request of the settings may take over this stored LUN. The request must
  /// select the same disk, and must not select another number. Access settings are not compared, so
  /// that written data stays when the access settings change.
  boolean continuedBy(LunRequest asked) {
    return words.startsWith(asked.sameDisk())
        && (asked.lun().isEmpty() || asked.lun().getAsInt() == lun);
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

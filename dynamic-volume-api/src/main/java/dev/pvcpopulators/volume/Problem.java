package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// A problem document (RFC 9457).
///
/// | Member                            | Given                                              |
/// |-----------------------------------|----------------------------------------------------|
/// | `type`                            | always; `about:blank` if the status is sufficient  |
/// | `title`, `status`, `detail`       | always                                             |
/// | `retryable`                       | always                                             |
/// | `requiredBytes`, `availableBytes` | if the disk does not fit; each only if it is known |
/// | `id`                              | for a defect: the identifier of its log entry      |
///
/// @param status the HTTP status, 400 to 599
/// @param detail at most 4,096 characters; the constructor truncates a longer text and appends an
///   ellipsis
/// @param members all members except type, title, status and detail
public record Problem(String type, String title, int status, String detail, ObjectNode members) {
  /// The media type of [#toJson].
  public static final String MEDIA_TYPE = "application/problem+json";

  private static final String TYPE_PREFIX = "urn:pvc-populators:problem:";

  public Problem {
    members = members.deepCopy();
    if (detail.length() > DocumentFields.MOST_TEXT) {
      int end = DocumentFields.MOST_TEXT - 1;
      end -= Character.isHighSurrogate(detail.charAt(end - 1)) ? 1 : 0;
      detail = detail.substring(0, end) + '…';
    }
  }

  /// Returns the problem of a failure.
  public static Problem of(Failure failure) {
    ObjectNode members = JsonNodeFactory.instance.objectNode();
    members.put("retryable", failure.retryable());
    if (failure instanceof Failure.ExceedsVolume exceeds) {
      VolumeStatus.putKnown(members, "requiredBytes", exceeds.requiredBytes());
      VolumeStatus.putKnown(members, "availableBytes", exceeds.availableBytes());
    }
    if (failure instanceof Failure.Bug bug) {
      members.put("id", bug.id());
    }
    return new Problem(
        TYPE_PREFIX + failure.kind(), failure.title(), failure.status(), failure.detail(), members);
  }

  /// Returns a problem of the type `about:blank`. This type is for problems that the HTTP status
  /// describes sufficiently, such as an unknown path or method.
  ///
  /// @param title the reason phrase of the status
  public static Problem of(int status, String title, String detail) {
    ObjectNode members = JsonNodeFactory.instance.objectNode();
    members.put("retryable", status == 429 || status == 503);
    return new Problem("about:blank", title, status, detail, members);
  }

  /// Reads a document in the form that [#document] writes.
  ///
  /// @throws IOException with the reason if the document is not a problem, or lacks a required
  ///   member
  public static Problem read(JsonNode document) throws IOException {
    DocumentFields fields = DocumentFields.of("Problem", document);
    String type = fields.text("type");
    String title = fields.text("title");
    int status = (int) fields.number("status", 400, 599);
    String detail = fields.text("detail");
    ObjectNode members = fields.document().deepCopy();
    members.remove(List.of("type", "title", "status", "detail"));
    return new Problem(type, title, status, detail, members);
  }

  /// Returns whether the same request may succeed later.
  public boolean retryable() {
    return members.path("retryable").asBoolean(false);
  }

  /// Returns the name of the failure's kind, such as `exceeds-volume`. Returns empty if the type
  /// does not have the prefix of this contract.
  public Optional<String> kind() {
    return type.startsWith(TYPE_PREFIX)
        ? Optional.of(type.substring(TYPE_PREFIX.length()))
        : Optional.empty();
  }

  @Override
  public ObjectNode members() {
    return members.deepCopy();
  }

  /// Returns the document as a tree, for use inside another document.
  public ObjectNode document() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("type", type).put("title", title).put("status", status).put("detail", detail);
    document.setAll(members);
    return document;
  }

  /// Returns the document as JSON in UTF-8.
  public byte[] toJson() {
    return Notation.JSON.write(document());
  }
}

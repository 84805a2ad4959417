package dev.pvcpopulators.volume.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.DocumentFields;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeSource;
import java.io.IOException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The status document: the fields that a caller needs for decisions, and the whole document.
///
/// @param bytesIn bytes received from the source
/// @param totalBytes bytes of the source, -1 if unknown
/// @param revision the version of the volume, for a conditional deletion
/// @param source the reference to the volume; null in all phases except `Ready`
/// @param failure the reason for the phase `Failed`; null in all other phases
/// @param document the whole status document; its texts are untrusted
public record StatusReport(
    Phase phase,
    long bytesIn,
    long totalBytes,
    String revision,
    @Nullable VolumeSource source,
    @Nullable Problem failure,
    ObjectNode document) {
  /// The text between the quotation marks of an entity tag in `If-Match` (RFC 9110, section 8.8.3).
  private static final Pattern ENTITY_TAG = Pattern.compile("[!#-~]{1,256}");

  public StatusReport {
    document = document.deepCopy();
  }

  /// Reads a status document that a service has written.
  ///
  /// @throws IOException with the reason if the document is not a status
  static StatusReport read(JsonNode document) throws IOException {
    DocumentFields fields = DocumentFields.of("Status", document);
    String revision = fields.text("revision");
    if (!ENTITY_TAG.matcher(revision).matches()) {
      throw new IOException("Status: expected a revision that can be an entity tag");
    }
    return new StatusReport(
        fields.constant("phase", Phase.class),
        fields.number("bytesIn", 0, Long.MAX_VALUE),
        fields.has("totalBytes") ? fields.number("totalBytes", 0, Long.MAX_VALUE) : -1,
        revision,
        fields.has("source") ? VolumeSource.read(fields.document().path("source")) : null,
        fields.has("failure") ? Problem.read(fields.document().path("failure")) : null,
        fields.document());
  }

  /// Returns a revision as an entity tag, with quotation marks.
  ///
  /// @throws IllegalArgumentException if the revision cannot be an entity tag of 1 to 256
  ///   characters
  static String entityTag(String revision) {
    if (!ENTITY_TAG.matcher(revision).matches()) {
      throw new IllegalArgumentException("Revision: expected at most 256 visible ASCII characters");
    }
    return '"' + revision + '"';
  }

  @Override
  public ObjectNode document() {
    return document.deepCopy();
  }
}

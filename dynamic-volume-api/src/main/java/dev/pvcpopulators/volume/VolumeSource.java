package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/// The reference to a populated volume: `pvc` or `iscsi`. The specification of a virtual machine
/// names a disk by this reference.
public sealed interface VolumeSource permits PvcSource, IscsiSource {
  /// Returns the document of the answer to `PUT /volume`, for [Notation#write].
  ObjectNode document();

  /// Reads a document that [#document] has written.
  ///
  /// @throws IOException with the reason if the document is not a source
  static VolumeSource read(JsonNode document) throws IOException {
    DocumentFields fields = DocumentFields.of("Source", document);
    if (fields.has("pvc") == fields.has("iscsi")) {
      throw new IOException("Source: expected either 'pvc' or 'iscsi', found " + fields.names());
    }
    try {
      return fields.has("pvc") ? PvcSource.read(fields) : IscsiSource.read(fields);
    } catch (IllegalArgumentException e) {
      throw new IOException("Source: " + e.getMessage(), e);
    }
  }
}

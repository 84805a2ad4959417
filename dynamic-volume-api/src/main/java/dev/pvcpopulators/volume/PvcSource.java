package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/// A PersistentVolumeClaim that contains the volume.
///
/// ```yaml
/// pvc:
///   claimname: some-pvc-name
/// ```
///
/// @param claimName name of the claim, in the namespace of the service's pod
public record PvcSource(String claimName) implements VolumeSource {
  /// Refuses blank names.
  ///
  /// @throws IllegalArgumentException if the name is blank
  public PvcSource {
    if (claimName.isBlank()) {
      throw new IllegalArgumentException("A claim's name is not blank");
    }
  }

  /// Reads a source.
  ///
  /// @throws IOException if a field is missing or is not a text
  /// @throws IllegalArgumentException if the name is blank
  static PvcSource read(DocumentFields fields) throws IOException {
    return new PvcSource(fields.object("pvc").text("claimname"));
  }

  @Override
  public ObjectNode document() {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.putObject("pvc").put("claimname", claimName);
    return document;
  }
}

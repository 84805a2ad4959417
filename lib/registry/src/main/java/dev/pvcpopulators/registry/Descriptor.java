package dev.pvcpopulators.registry;

import java.util.Map;

/// The part of a manifest or an index that describes one piece of content, such as a layer (OCI
/// image-spec 1.1, descriptor.md).
///
/// @param mediaType the media type as the document gives it; empty if the document gives none
/// @param size the size of the content in bytes, at least 0
/// @param annotations the annotations, at most [RegistryLimits#ANNOTATIONS]; may be empty
public record Descriptor(
    String mediaType, Digest digest, long size, Map<String, String> annotations) {
  public Descriptor {
    if (size < 0) {
      throw new IllegalArgumentException("Negative size " + size);
    }
    annotations = Map.copyOf(annotations);
  }
}

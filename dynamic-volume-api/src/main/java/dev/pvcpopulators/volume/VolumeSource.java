package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;

/// What a populated volume is referred to by: the `pvc` or `iscsi` disk source of a virtual
/// machine's specification.
public sealed interface VolumeSource permits PvcSource, IscsiSource {
  /// The document that `PUT /volume` answers, for [Notation#write].
  ObjectNode document();
}

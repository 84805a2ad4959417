package dev.pvcpopulators.kubernetes.foreign;

import io.fabric8.kubernetes.api.model.ObjectMeta;

/// A VolumePopulator (github.com/kubernetes-csi/volume-data-source-validator).
public record VolumePopulator(
    String apiVersion, String kind, ObjectMeta metadata, SourceKind sourceKind) {
  public static final String API_VERSION = "populator.storage.k8s.io/v1beta1";

  public record SourceKind(String group, String kind) {}
}

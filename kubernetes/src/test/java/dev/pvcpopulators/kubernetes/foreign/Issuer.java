package dev.pvcpopulators.kubernetes.foreign;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/// An Issuer of cert-manager (cert-manager.io/v1).
public record Issuer(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
  public static final String API_VERSION = "cert-manager.io/v1";

  public record Spec(@Nullable SelfSigned selfSigned, @Nullable Authority ca) {}

  public record SelfSigned() {}

  public record Authority(String secretName) {}
}

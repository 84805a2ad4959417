package dev.pvcpopulators.kubernetes.foreign;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A Certificate of cert-manager (cert-manager.io/v1).
public record Certificate(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
  public static final String API_VERSION = "cert-manager.io/v1";

  public record Spec(
      String secretName,
      IssuerRef issuerRef,
      @Nullable String commonName,
      @Nullable List<String> dnsNames,
      @Nullable List<String> ipAddresses,
      @Nullable String duration,
      @Nullable String renewBefore,
      @Nullable List<String> usages,
      @Nullable Boolean isCA,
      @Nullable PrivateKey privateKey) {}

  public record IssuerRef(String name, @Nullable String kind, @Nullable String group) {}

  public record PrivateKey(
      @Nullable String algorithm,
      @Nullable String encoding,
      @Nullable Integer size,
      @Nullable String rotationPolicy) {}
}

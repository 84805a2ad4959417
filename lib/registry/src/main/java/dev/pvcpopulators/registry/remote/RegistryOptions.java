package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.http.HttpOptions;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.registry.SourceReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Options for the access to registries.
///
/// @param caBundle certificates in PEM that are trusted in addition to the platform's
/// @param insecureRegistries `host[:port]` of hosts that are accessed by plain HTTP only
/// @param allowedRegistries `host[:port][/prefix]` of registries that may be used; empty for all
/// @param mirrors from a registry's name to `host[:port][/prefix]` of mirrors, which are tried
///   first
/// @param retries maximum number of consecutive attempts that fail without a byte of progress, 0 to
///   100
/// @param connectTimeout for a connection with its TLS handshake
/// @param idleTimeout maximum time without a byte
/// @param chosenByClient whether a client, and not a setting, chose the registry: then it may be
///   neither on this machine nor on its link, unless one of the lists names it
/// @param settings the prefix of the names of the settings, for messages: `REGISTRY_COPY_`
public record RegistryOptions(
    Credentials credentials,
    Optional<Path> caBundle,
    Set<String> insecureRegistries,
    List<String> allowedRegistries,
    Map<String, List<String>> mirrors,
    int retries,
    Duration connectTimeout,
    Duration idleTimeout,
    boolean chosenByClient,
    String settings) {
  private static final int MAX_RETRIES = 100;

  /// Creates options.
  ///
  /// @throws IllegalArgumentException for a number outside its range or an invalid host name
  public RegistryOptions {
    insecureRegistries = Set.copyOf(insecureRegistries);
    allowedRegistries = List.copyOf(allowedRegistries);
    Map<String, List<String>> copied = new LinkedHashMap<>();
    mirrors.forEach((registry, places) -> copied.put(registry, List.copyOf(places)));
    mirrors = Map.copyOf(copied);
    if (retries < 0 || retries > MAX_RETRIES) {
      throw new IllegalArgumentException(
          "Expected 0 to " + MAX_RETRIES + " retries, found " + retries);
    }
    HttpOptions.requireTimeout("connect", connectTimeout);
    HttpOptions.requireTimeout("idle", idleTimeout);
    insecureRegistries.forEach(Endpoint::requirePlace);
    allowedRegistries.forEach(Endpoint::requirePlace);
    mirrors.values().stream().flatMap(Collection::stream).forEach(Endpoint::requirePlace);
  }

  /// Returns the options of the HTTP client.
  HttpOptions http() {
    return new HttpOptions(
        caBundle,
        new InsecureHosts(insecureRegistries),
        settings + "INSECURE_REGISTRIES",
        connectTimeout,
        idleTimeout,
        credentials.environment());
  }

  /// Returns the defaults: no credentials, no mirrors, HTTPS only; 6 retries, which take about 16
  /// s.
  public static RegistryOptions defaults() {
    return new RegistryOptions(
        Credentials.none(),
        Optional.empty(),
        Set.of(),
        List.of(),
        Map.of(),
        6,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        false,
        "");
  }

  /// Returns whether the options allow the registry of an image.
  public boolean allows(SourceReference.Remote reference) {
    return new AllowedRegistries(allowedRegistries)
        .allows(
            Endpoint.of(
                reference.registry(),
                reference.repository(),
                new InsecureHosts(insecureRegistries)));
  }

  public RegistryOptions withCredentials(Credentials value) {
    return with(copy -> copy.credentials = value);
  }

  public RegistryOptions withCaBundle(Path value) {
    return with(copy -> copy.caBundle = Optional.of(value));
  }

  public RegistryOptions withInsecureRegistries(Set<String> value) {
    return with(copy -> copy.insecureRegistries = value);
  }

  public RegistryOptions withAllowedRegistries(List<String> value) {
    return with(copy -> copy.allowedRegistries = value);
  }

  public RegistryOptions withMirrors(Map<String, List<String>> value) {
    return with(copy -> copy.mirrors = value);
  }

  public RegistryOptions withRetries(int value) {
    return with(copy -> copy.retries = value);
  }

  public RegistryOptions withConnectTimeout(Duration value) {
    return with(copy -> copy.connectTimeout = value);
  }

  public RegistryOptions withIdleTimeout(Duration value) {
    return with(copy -> copy.idleTimeout = value);
  }

  public RegistryOptions withChosenByClient(boolean value) {
    return with(copy -> copy.chosenByClient = value);
  }

  public RegistryOptions withSettings(String value) {
    return with(copy -> copy.settings = value);
  }

  private RegistryOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return new RegistryOptions(
        copy.credentials,
        copy.caBundle,
        copy.insecureRegistries,
        copy.allowedRegistries,
        copy.mirrors,
        copy.retries,
        copy.connectTimeout,
        copy.idleTimeout,
        copy.chosenByClient,
        copy.settings);
  }

  /// A copy that can be changed.
  private static final class Copy {
    Credentials credentials;
    Optional<Path> caBundle;
    Set<String> insecureRegistries;
    List<String> allowedRegistries;
    Map<String, List<String>> mirrors;
    int retries;
    Duration connectTimeout;
    Duration idleTimeout;
    boolean chosenByClient;
    String settings;

    Copy(RegistryOptions of) {
      credentials = of.credentials;
      caBundle = of.caBundle;
      insecureRegistries = of.insecureRegistries;
      allowedRegistries = of.allowedRegistries;
      mirrors = of.mirrors;
      retries = of.retries;
      connectTimeout = of.connectTimeout;
      idleTimeout = of.idleTimeout;
      chosenByClient = of.chosenByClient;
      settings = of.settings;
    }
  }
}

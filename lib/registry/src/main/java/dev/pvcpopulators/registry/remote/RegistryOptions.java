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

/// Options for the access to registries.
///
/// @param caBundle a PEM file of certificates that are trusted in addition to the platform's
///   certificates
/// @param insecureRegistries `host[:port]` of registries and mirrors that are accessed by plain
///   HTTP only
/// @param allowedRegistries `host[:port][/prefix]` of registries that may be used; empty for all
/// @param mirrors maps a registry's `host[:port]` in lower case to `host[:port][/prefix]` of its
///   mirrors. The mirrors are tried before the registry, in the order of the list
/// @param retries 0 to 100: the maximum number of consecutive retries at the registry without a new
///   byte. At each mirror, the maximum is the smaller of this number and 2
/// @param connectTimeout the time limit for connecting to one address and, if no proxy is used, for
///   each read of the TLS handshake
/// @param idleTimeout maximum time in which no byte arrives; it also applies to a proxy's answer to
///   CONNECT, and to the TLS handshake through a proxy
/// @param chosenByClient whether a client, and not a setting, chose the registry. If a client chose
///   the registry, the registry's address must not be an address of this machine, a link-local or
///   multicast address, or the address of a cloud's metadata service. This restriction does not
///   apply if `insecureRegistries` or `allowedRegistries` names the registry
/// @param settings the prefix of the names of the settings, for messages; for example
///   `REGISTRY_COPY_`
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
  /// @throws IllegalArgumentException if `retries` is outside 0 to 100, if a time-out is outside 1
  ///   ms to 1 h, if an insecure registry does not have the form `host[:port]`, or if an allowed
  ///   registry or a mirror does not have the form `host[:port][/prefix]`
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
    insecureRegistries.forEach(Endpoint::requireAuthority);
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

  /// Returns options with the given insecure registries, allowed registries and mirrors. All other
  /// options have default values: for example [Credentials#none], and 6 retries. The sum of the
  /// delays before 6 retries is about 16 s on average.
  ///
  /// @throws IllegalArgumentException if an insecure registry does not have the form `host[:port]`,
  ///   or if an allowed registry or a mirror does not have the form `host[:port][/prefix]`
  public static RegistryOptions of(
      Set<String> insecureRegistries,
      List<String> allowedRegistries,
      Map<String, List<String>> mirrors) {
    return new RegistryOptions(
        Credentials.none(),
        Optional.empty(),
        insecureRegistries,
        allowedRegistries,
        mirrors,
        6,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        false,
        "");
  }

  /// Returns whether `allowedRegistries` allows the registry and the repository of an image. The
  /// list does not apply to mirrors, which a separate setting names. The list also does not apply
  /// to the token servers and storage servers that an allowed registry names.
  public boolean allows(SourceReference.Remote reference) {
    InsecureHosts insecure = new InsecureHosts(insecureRegistries);
    Endpoint registry = Endpoint.of(reference.registry(), reference.repository(), insecure);
    return allowedRegistries.isEmpty() || allowedRegistries.stream().anyMatch(registry::allowedBy);
  }
}

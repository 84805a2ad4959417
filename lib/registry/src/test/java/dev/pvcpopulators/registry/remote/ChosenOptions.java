package dev.pvcpopulators.registry.remote;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Options that a test changes one by one.
record ChosenOptions(RegistryOptions options) {
  /// Returns the defaults: HTTPS only, all registries, no mirrors.
  static ChosenOptions defaults() {
    return new ChosenOptions(RegistryOptions.of(Set.of(), List.of(), Map.of()));
  }

  ChosenOptions withCredentials(Credentials value) {
    return with(copy -> copy.credentials = value);
  }

  ChosenOptions withCaBundle(Path value) {
    return with(copy -> copy.caBundle = Optional.of(value));
  }

  ChosenOptions withInsecureRegistries(Set<String> value) {
    return with(copy -> copy.insecureRegistries = value);
  }

  ChosenOptions withAllowedRegistries(List<String> value) {
    return with(copy -> copy.allowedRegistries = value);
  }

  ChosenOptions withMirrors(Map<String, List<String>> value) {
    return with(copy -> copy.mirrors = value);
  }

  ChosenOptions withRetries(int value) {
    return with(copy -> copy.retries = value);
  }

  ChosenOptions withConnectTimeout(Duration value) {
    return with(copy -> copy.connectTimeout = value);
  }

  ChosenOptions withIdleTimeout(Duration value) {
    return with(copy -> copy.idleTimeout = value);
  }

  ChosenOptions withChosenByClient(boolean value) {
    return with(copy -> copy.chosenByClient = value);
  }

  ChosenOptions withSettings(String value) {
    return with(copy -> copy.settings = value);
  }

  private ChosenOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(options);
    change.accept(copy);
    return new ChosenOptions(
        new RegistryOptions(
            copy.credentials,
            copy.caBundle,
            copy.insecureRegistries,
            copy.allowedRegistries,
            copy.mirrors,
            copy.retries,
            copy.connectTimeout,
            copy.idleTimeout,
            copy.chosenByClient,
            copy.settings));
  }

  /// A mutable copy of the options.
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
      credentials = of.credentials();
      caBundle = of.caBundle();
      insecureRegistries = of.insecureRegistries();
      allowedRegistries = of.allowedRegistries();
      mirrors = of.mirrors();
      retries = of.retries();
      connectTimeout = of.connectTimeout();
      idleTimeout = of.idleTimeout();
      chosenByClient = of.chosenByClient();
      settings = of.settings();
    }
  }
}

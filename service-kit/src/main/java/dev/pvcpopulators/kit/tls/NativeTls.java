package dev.pvcpopulators.kit.tls;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import jakarta.enterprise.context.ApplicationScoped;

/// Uses BoringSSL for TLS if the library of BoringSSL can be loaded, otherwise the JDK. Decryption
/// limits the speed of uploads, and BoringSSL decrypts faster than the JDK.
@ApplicationScoped
class NativeTls implements HttpServerOptionsCustomizer {
  private final PopulatorSettings settings;

  NativeTls(PopulatorSettings settings) {
    this.settings = settings;
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    // `isAvailable` unpacks the library into the temporary directory and loads it. Therefore
    // `isAvailable` is called only if a certificate is configured.
    if (settings.tls().certificate().isPresent() && OpenSSLEngineOptions.isAvailable()) {
      options.setSslEngineOptions(new OpenSSLEngineOptions());
    }
  }
}

package dev.pvcpopulators.kit.tls;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import jakarta.enterprise.context.ApplicationScoped;

/// Uses BoringSSL for TLS, because decryption limits the speed of uploads. If the library of
/// BoringSSL cannot be loaded, uses the JDK.
@ApplicationScoped
class NativeTls implements HttpServerOptionsCustomizer {
  private final PopulatorSettings settings;

  NativeTls(PopulatorSettings settings) {
    this.settings = settings;
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    // `isAvailable` loads the library, which is in the temporary directory only while it is being
    // loaded.
    if (settings.tls().certificate().isPresent() && OpenSSLEngineOptions.isAvailable()) {
      options.setSslEngineOptions(new OpenSSLEngineOptions());
    }
  }
}

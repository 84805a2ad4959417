package dev.pvcpopulators.kit.tls;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import jakarta.enterprise.context.ApplicationScoped;

/// Uses BoringSSL for TLS if its library can be loaded, else the JDK, because decryption limits the
/// speed of uploads.
@ApplicationScoped
class NativeTls implements HttpServerOptionsCustomizer {
  private final PopulatorSettings settings;

  NativeTls(PopulatorSettings settings) {
    this.settings = settings;
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    // The query loads the library, which is unpacked into the temporary directory for that moment.
    if (settings.tls().certificate().isPresent() && OpenSSLEngineOptions.isAvailable()) {
      options.setSslEngineOptions(new OpenSSLEngineOptions());
    }
  }
}

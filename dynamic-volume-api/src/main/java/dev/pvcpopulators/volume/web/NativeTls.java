package dev.pvcpopulators.volume.web;

import dev.pvcpopulators.volume.settings.PopulatorSettings;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/// Lets BoringSSL do TLS where its library can be loaded, else the JDK: for disks it is the
/// decryption that decides how fast they arrive.
@ApplicationScoped
class NativeTls implements HttpServerOptionsCustomizer {
  private final PopulatorSettings settings;

  @Inject
  NativeTls(PopulatorSettings settings) {
    this.settings = settings;
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    // Asking loads the library, which is unpacked into the temporary directory for that moment.
    if (settings.tls().certificate().isPresent() && OpenSSLEngineOptions.isAvailable()) {
      options.setSslEngineOptions(new OpenSSLEngineOptions());
    }
  }
}

package dev.pvcpopulators.volume.web;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import jakarta.enterprise.context.ApplicationScoped;

/// Lets BoringSSL do TLS where its library can be loaded, else the JDK: for disks it is the
/// decryption that decides how fast they arrive.
@ApplicationScoped
class NativeTls implements HttpServerOptionsCustomizer {
  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    if (OpenSSLEngineOptions.isAvailable()) {
      options.setSslEngineOptions(new OpenSSLEngineOptions());
    }
  }
}

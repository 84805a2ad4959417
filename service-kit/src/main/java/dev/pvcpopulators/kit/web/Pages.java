package dev.pvcpopulators.kit.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// The web page at `/`, and the files that it loads. The page of most processes is never requested.
/// Therefore a file is read only when it is first requested; after that, it is served from memory.
/// The files are the same for all clients, and reveal nothing about the volume.
///
/// The Content-Security-Policy allows only files of this service, and no inline scripts or styles.
/// The policy also forbids scripts to insert a string as HTML (Trusted Types). So the name of an
/// image or a file is shown as text only, whatever the name contains.
@Singleton
public class Pages {
  static final Page STATUS =
      new Page(
          "/page/status.html",
          List.of(
              "/page/components.js",
              "/page/confirmation.js",
              "/page/dom.js",
              "/page/element.js",
              "/page/events.js",
              "/page/format.js",
              "/page/lun.js",
              "/page/onlooker.js",
              "/page/problem.js",
              "/page/status.js",
              "/page/style.css",
              "/page/token.js",
              "/page/volume-actions.js",
              "/page/volume-facts.js",
              "/page/volume-failures.js",
              "/page/volume-parts.js",
              "/page/volume-sessions.js",
              "/page/volume-source.js",
              "/page/volume-status.js",
              "/page/volume-token.js",
              "/page/volume.js"));

  private static final Map<String, String> MEDIA_TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
              + " connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none';"
              + " frame-ancestors 'none'; require-trusted-types-for 'script';"
              + " trusted-types hash-worker",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cache-Control",
          "no-cache");

  private final String service;

  /// The resources of the page, by the path of their URL.
  private final Map<String, String> resources = new LinkedHashMap<>();

  /// The files that were requested already, by the name of their resource.
  private final Map<String, PageFile> files = new ConcurrentHashMap<>();

  private record PageFile(Buffer bytes, String mediaType, String etag) {}

  Pages(Instance<Page> own, @ConfigProperty(name = "quarkus.application.name") String service) {
    this.service = service;
    Page page = own.isResolvable() ? own.get() : STATUS;
    resources.put("/", page.index());
    STATUS.files().forEach(name -> resources.put(name, name));
    page.files().forEach(name -> resources.put(name, name));
    resources.put("/page/icon.svg", "/page/icon.svg");
  }

  /// Returns whether this class serves a file at a path.
  ///
  /// @param path the path of a URL, compared exactly
  public boolean has(@Nullable String path) {
    return resources.containsKey(path);
  }

  void register(@Observes Router router) {
    resources.forEach((path, resource) ->
        router
            .route(path)
            .method(HttpMethod.GET)
            .method(HttpMethod.HEAD)
            .handler(
                routing -> serve(routing.request(), files.computeIfAbsent(resource, this::file))));
  }

  private static void serve(HttpServerRequest request, PageFile file) {
    HttpServerResponse response = request.response();
    HEADERS.forEach(response::putHeader);
    response.putHeader(HttpHeaders.ETAG, file.etag);
    if (file.etag.equals(request.getHeader(HttpHeaders.IF_NONE_MATCH))) {
      response.setStatusCode(304).end();
      return;
    }
    response.putHeader(HttpHeaders.CONTENT_TYPE, file.mediaType);
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(file.bytes.length())).end();
    } else {
      response.end(file.bytes);
    }
  }

  private PageFile file(String resource) {
    String mediaType = MEDIA_TYPES.get(resource.substring(resource.lastIndexOf('.') + 1));
    if (mediaType == null) {
      throw new IllegalArgumentException("Say what media type " + resource + " has");
    }
    String text = new String(read(resource), UTF_8);
    // `{service}` is replaced only in HTML, because `{service}` has another meaning in a script.
    String named = resource.endsWith(".html") ? text.replace("{service}", service) : text;
    byte[] bytes = named.getBytes(UTF_8);
    return new PageFile(Buffer.buffer(bytes), mediaType, etag(bytes));
  }

  /// Returns the bytes of a resource of the class path.
  static byte[] read(String resource) {
    try (InputStream in = Pages.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("Packaging is wrong: " + resource + " is missing");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("Reading " + resource, e);
    }
  }

  private static String etag(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return '"' + HexFormat.of().formatHex(digest, 0, 16) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}

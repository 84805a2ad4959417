package dev.pvcpopulators.http;

import java.io.Closeable;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.apache.http.HttpHeaders;
import org.apache.http.HttpHost;
import org.apache.http.HttpResponse;
import org.apache.http.MessageConstraintException;
import org.apache.http.NameValuePair;
import org.apache.http.client.ClientProtocolException;
import org.apache.http.client.CredentialsProvider;
import org.apache.http.client.config.CookieSpecs;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.entity.UrlEncodedFormEntity;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.client.methods.HttpHead;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.client.methods.HttpUriRequest;
import org.apache.http.config.ConnectionConfig;
import org.apache.http.config.MessageConstraints;
import org.apache.http.config.SocketConfig;
import org.apache.http.impl.NoConnectionReuseStrategy;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClientBuilder;
import org.apache.http.impl.client.SystemDefaultCredentialsProvider;
import org.apache.http.impl.client.TargetAuthenticationStrategy;
import org.apache.http.impl.conn.PoolingHttpClientConnectionManager;
import org.apache.http.impl.conn.SystemDefaultDnsResolver;
import org.apache.http.impl.conn.SystemDefaultRoutePlanner;
import org.apache.http.message.BasicNameValuePair;
import org.apache.http.protocol.HttpContext;

/// An HTTP client for downloads from untrusted servers. Each request blocks the calling thread;
/// [Transfer#close] cancels the request. The client limits the size of a response's head, the
/// number of redirects, and the idle time. It sends no credentials to another origin after a
/// redirect.
///
/// These defaults of HTTP clients are switched off: retries, authentication to servers, cookies,
/// decompression.
public final class DownloadClient implements Closeable {
  // Limits for a response's head, which takes at most about 6 MiB of memory.
  private static final int HEADER_LENGTH = 32 << 10;
  private static final int HEADERS = 100;

  // If the buffer is empty, a long read bypasses the buffer.
  private static final int BUFFER_LENGTH = 64 << 10;

  // The limit of the pool is high, because the code that reads the response bodies already limits
  // the number of connections.
  private static final int CONNECTIONS = 1_000;

  private static final String USER_AGENT = "pvc-populators";

  private final CloseableHttpClient client;
  private final RedirectPolicy redirects;
  private final Set<Transfer> transfers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /// Creates a client.
  ///
  /// @throws IllegalArgumentException if the CA bundle cannot be read, has more than 16 MiB,
  ///   contains no certificate, or contains an invalid certificate; or if `HTTPS_PROXY` or
  ///   `HTTP_PROXY` is set and does not name an HTTP proxy
  public DownloadClient(HttpOptions options) {
    redirects = new RedirectPolicy(options.insecureHosts(), options.insecureSetting());
    SSLContext tls = TrustedAuthorities.context(options.caBundle());
    PoolingHttpClientConnectionManager connections =
        new PoolingHttpClientConnectionManager(
            GuardedSockets.by(tls),
            null,
            null,
            new InterruptibleDnsResolver(SystemDefaultDnsResolver.INSTANCE),
            -1,
            TimeUnit.MILLISECONDS);
    connections.setMaxTotal(CONNECTIONS);
    connections.setDefaultMaxPerRoute(CONNECTIONS);
    connections.setDefaultConnectionConfig(
        ConnectionConfig.custom()
            .setBufferSize(BUFFER_LENGTH)
            .setMessageConstraints(
                MessageConstraints.custom()
                    .setMaxLineLength(HEADER_LENGTH)
                    .setMaxHeaderCount(HEADERS)
                    .build())
            .build());
    // The time-out of a request applies only after its connection is set up. Before that, the
    // time-out below applies to a proxy's answer to CONNECT, and to the TLS handshake in the
    // proxy's tunnel.
    connections.setDefaultSocketConfig(
        SocketConfig.custom()
            .setSoTimeout(Math.toIntExact(options.idleTimeout().toMillis()))
            .build());
    EnvironmentProxies proxies =
        new EnvironmentProxies(options.environment(), ProxySelector.getDefault());
    // The client uses `proxyCredentials` for proxies only, because `NoTargetAuthentication`
    // disables authentication to servers.
    CredentialsProvider proxyCredentials = new SystemDefaultCredentialsProvider();
    proxies.addCredentials(proxyCredentials);
    client =
        HttpClientBuilder.create()
            .setConnectionManager(connections)
            // If the client reused an idle connection that the server has closed, the request would
            // fail, and a retry would follow after a delay. A new connection costs only a few round
            // trips.
            .setConnectionReuseStrategy(NoConnectionReuseStrategy.INSTANCE)
            .setDefaultRequestConfig(config(options))
            .setRoutePlanner(new SystemDefaultRoutePlanner(proxies))
            .setDefaultCredentialsProvider(proxyCredentials)
            .setTargetAuthenticationStrategy(new NoTargetAuthentication())
            .setUserAgent(USER_AGENT)
            .disableAutomaticRetries()
            .disableContentCompression()
            .disableCookieManagement()
            .disableRedirectHandling()
            .build();
  }

  private static RequestConfig config(HttpOptions options) {
    return RequestConfig.custom()
        .setConnectTimeout(Math.toIntExact(options.connectTimeout().toMillis()))
        .setConnectionRequestTimeout(Math.toIntExact(options.connectTimeout().toMillis()))
        .setSocketTimeout(Math.toIntExact(options.idleTimeout().toMillis()))
        .setCookieSpec(CookieSpecs.IGNORE_COOKIES)
        .setRedirectsEnabled(false)
        .setContentCompressionEnabled(false)
        // The client must send a signed URL exactly as it was signed.
        .setNormalizeUri(false)
        .build();
  }

  /// Leaves authentication challenges to the caller, see [Response#headers].
  private static final class NoTargetAuthentication extends TargetAuthenticationStrategy {
    @Override
    public boolean isAuthenticationRequested(
        HttpHost host, HttpResponse response, HttpContext context) {
      return false;
    }
  }

  /// Requests a resource with GET and follows redirects.
  ///
  /// @param headers the header fields for every server
  /// @param originHeaders the header fields for the origin of `uri` only, such as `Authorization`
  /// @param covered whether a request for a URL of the origin contains `originHeaders`; after the
  ///   first request without these headers, no later request of the same call contains them
  /// @param guard the guard of the connections before the first redirect to another origin; the
  ///   result of [ConnectionGuard#redirected] is the guard of all later connections
  /// @return the response, never a redirect; owned by the caller
  /// @throws SourceUnavailableException if an immediate retry is useless: the TLS certificate is
  ///   refused, the response is not HTTP or its head exceeds the limits, there are too many
  ///   redirects, or a redirect leads to a forbidden URL or address
  /// @throws SourceDeniedException if the server does not support TLS, or `guard` does not permit
  ///   the address of the origin
  public Response get(
      URI uri,
      Map<String, String> headers,
      Map<String, String> originHeaders,
      Predicate<URI> covered,
      ConnectionGuard guard,
      Transfer transfer)
      throws IOException {
    return follow(HttpGet::new, uri, headers, originHeaders, covered, guard, transfer);
  }

  /// Requests a resource with HEAD. In all other respects this method works like [#get] with a
  /// `covered` that is always true.
  public Response head(
      URI uri,
      Map<String, String> headers,
      Map<String, String> originHeaders,
      ConnectionGuard guard,
      Transfer transfer)
      throws IOException {
    return follow(HttpHead::new, uri, headers, originHeaders, _ -> true, guard, transfer);
  }

  private Response follow(
      Function<URI, HttpUriRequest> method,
      URI uri,
      Map<String, String> headers,
      Map<String, String> originHeaders,
      Predicate<URI> covered,
      ConnectionGuard guard,
      Transfer transfer)
      throws IOException {
    URI at = uri;
    boolean home = true;
    boolean within = covered.test(uri);
    for (int redirect = 0; redirect <= RedirectPolicy.LIMIT; redirect++) {
      HttpUriRequest request = method.apply(at);
      headers.forEach(request::setHeader);
      if (within) {
        originHeaders.forEach(request::setHeader);
      }
      Response response = execute(request, home, home ? guard : guard.redirected(), transfer);
      if (!RedirectPolicy.isRedirect(response.status())) {
        return response;
      }
      response.close();
      at = redirects.target(at, response.header(HttpHeaders.LOCATION).orElse(""));
      // `home` remains false even if a later redirect leads back to the origin, because another
      // host has then chosen the path.
      home &= RedirectPolicy.sameOrigin(uri, at);
      within &= home && covered.test(at);
    }
    throw new SourceUnavailableException(
        "Cannot read from %s: more than %s redirects"
            .formatted(uri.getRawAuthority(), RedirectPolicy.LIMIT));
  }

  /// Posts a form and follows no redirect.
  ///
  /// @param form the fields of the form, in order
  /// @return the response; owned by the caller
  public Response post(
      URI uri, SequencedMap<String, String> form, ConnectionGuard guard, Transfer transfer)
      throws IOException {
    List<NameValuePair> fields = new ArrayList<>();
    form.forEach((name, value) -> fields.add(new BasicNameValuePair(name, value)));
    HttpPost request = new HttpPost(uri);
    request.setEntity(new UrlEncodedFormEntity(fields, StandardCharsets.UTF_8));
    return execute(request, true, guard, transfer);
  }

  private Response execute(
      HttpUriRequest request, boolean home, ConnectionGuard guard, Transfer transfer)
      throws IOException {
    request.setHeader(HttpHeaders.ACCEPT_ENCODING, "identity");
    request.setHeader(HttpHeaders.CONNECTION, "close");
    transfer.running(request);
    String authority = request.getURI().getRawAuthority();
    try {
      return new Response(request, client.execute(request, guard.context()), home);
    } catch (SSLException e) {
      throw TlsFailure.of(authority, redirects.insecureSetting(), e);
    } catch (MessageConstraintException | ClientProtocolException e) {
      throw new SourceUnavailableException(
          "Cannot read from " + authority + ": its answer is not HTTP, or exceeds the limits", e);
    } catch (IllegalStateException e) {
      // Another thread closed the client after the transfer was checked above.
      throw new IOException("The client's connections were closed", e);
    }
  }

  /// Returns a new transfer. Closing the client ends the transfer.
  ///
  /// @return the transfer; owned by the caller
  /// @throws IOException if the client is closed
  public Transfer begin() throws IOException {
    Transfer transfer = new Transfer(transfers::remove);
    transfers.add(transfer);
    if (closed) {
      transfer.close();
      throw new IOException("The download was closed");
    }
    return transfer;
  }

  /// Ends all transfers and closes the connections.
  @Override
  public void close() throws IOException {
    closed = true;
    transfers.forEach(Transfer::close);
    client.close();
  }
}

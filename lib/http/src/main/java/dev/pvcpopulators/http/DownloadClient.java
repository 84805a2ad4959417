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

/// An HTTP client for downloads from strangers: bounded, blocking, abortable, with redirects that
/// carry no credentials to another origin.
///
/// It does nothing unasked that HTTP clients do by default: retries, authentication, cookies,
/// decompression.
public final class DownloadClient implements Closeable {
  // Bounds of what is held of a response's head, some 6 MiB at worst.
  private static final int HEADER_LENGTH = 32 << 10;
  private static final int HEADERS = 100;

  // Reads longer than what is buffered go straight to the socket.
  private static final int BUFFER_LENGTH = 64 << 10;

  // Bodies are bounded by who reads them, not by the pool.
  private static final int CONNECTIONS = 1_000;

  private static final String USER_AGENT = "pvc-populators";

  private final CloseableHttpClient client;
  private final RedirectPolicy redirects;

  /// @throws IllegalArgumentException if the CA bundle cannot be read, or a variable names no proxy
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
    EnvironmentProxies proxies =
        new EnvironmentProxies(options.environment(), ProxySelector.getDefault());
    // For proxies only, see below.
    CredentialsProvider proxyCredentials = new SystemDefaultCredentialsProvider();
    proxies.addCredentials(proxyCredentials);
    client =
        HttpClientBuilder.create()
            .setConnectionManager(connections)
            // An idle connection that the server has dropped would cost a retry with its pause;
            // a new one costs a round trip.
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
        // Signed URLs must arrive as they were signed.
        .setNormalizeUri(false)
        .build();
  }

  /// Challenges are for the caller, see [Response#headers].
  private static final class NoTargetAuthentication extends TargetAuthenticationStrategy {
    @Override
    public boolean isAuthenticationRequested(
        HttpHost host, HttpResponse response, HttpContext context) {
      return false;
    }
  }

  /// Requests a resource by GET and follows redirects.
  ///
  /// @param headers for every server that is asked
  /// @param originHeaders for the origin of `uri` and no other, such as `Authorization`
  /// @param guard of the connection to `uri`
  /// @return owned by the caller; never a redirect
  /// @throws SourceUnavailableException if trying again is pointless: TLS without trust, a response
  ///   that is no HTTP or out of bounds, redirects without end or to where may not be gone
  public Response get(
      URI uri,
      Map<String, String> headers,
      Map<String, String> originHeaders,
      ConnectionGuard guard,
      Transfer transfer)
      throws IOException {
    return get(uri, headers, originHeaders, _ -> true, guard, transfer);
  }

  /// As above, with headers for a part of the origin.
  ///
  /// @param covered whether a URL of the origin gets `originHeaders`; once a redirect led to one
  ///   that does not, none does
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

  /// As [#get], but by HEAD.
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
      // Not even if a later redirect leads back: by then another host chose the path.
      home &= RedirectPolicy.sameOrigin(uri, at);
      within &= home && covered.test(at);
    }
    throw new SourceUnavailableException(
        "Cannot read from "
            + uri.getRawAuthority()
            + ": more than "
            + RedirectPolicy.LIMIT
            + " redirects");
  }

  /// Posts a form and follows no redirect.
  ///
  /// @param form its fields, in order
  /// @return owned by the caller
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
          "Cannot read from " + authority + ": it answers no HTTP within bounds", e);
    } catch (IllegalStateException e) {
      // The client was shut down between the check above and its use.
      throw new IOException("The client's connections were closed", e);
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}

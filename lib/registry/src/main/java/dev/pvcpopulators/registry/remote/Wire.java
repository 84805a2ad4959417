package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.registry.SourceDeniedException;
import dev.pvcpopulators.registry.SourceUnavailableException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.apache.http.HttpHeaders;
import org.apache.http.HttpHost;
import org.apache.http.HttpResponse;
import org.apache.http.MessageConstraintException;
import org.apache.http.client.ClientProtocolException;
import org.apache.http.client.CredentialsProvider;
import org.apache.http.client.config.CookieSpecs;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.client.methods.HttpHead;
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
import org.apache.http.protocol.HttpContext;

/// HTTP to registries, token servers and the storage behind them: bounded, blocking, abortable,
/// with redirects that carry no credentials away.
///
/// It leaves to its callers what HTTP clients like to do unasked: retries, authentication, cookies,
/// decompression.
final class Wire implements Closeable {
  /// The longest chain of redirects that is followed.
  static final int REDIRECTS = 5;

  // Bounds of what is held of a response's head, some 6 MiB at worst.
  private static final int HEADER_LENGTH = 32 << 10;
  private static final int HEADERS = 100;

  // Reads longer than what is buffered go straight to the socket.
  private static final int BUFFER_LENGTH = 64 << 10;

  // Bodies are bounded by who reads them, not by the pool.
  private static final int CONNECTIONS = 1_000;

  private static final int WORDS_LENGTH = 300;

  private static final String USER_AGENT = "pvc-populators";

  private static final Logger LOG = System.getLogger(Wire.class.getName());

  private final CloseableHttpClient client;
  private final InsecureHosts insecure;
  private final String setting;

  Wire(RegistryOptions options, InsecureHosts insecure) {
    this.insecure = insecure;
    setting = options.settings() + "INSECURE_REGISTRIES";
    SSLContext tls = TrustedAuthorities.context(options.caBundle());
    PoolingHttpClientConnectionManager connections =
        new PoolingHttpClientConnectionManager(
            GuardedSockets.by(tls),
            null,
            null,
            new InterruptibleLookup(SystemDefaultDnsResolver.INSTANCE),
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
        new EnvironmentProxies(options.credentials().environment(), ProxySelector.getDefault());
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

  private static RequestConfig config(RegistryOptions options) {
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

  /// Challenges of registries are for [Authenticator].
  private static final class NoTargetAuthentication extends TargetAuthenticationStrategy {
    @Override
    public boolean isAuthenticationRequested(
        HttpHost host, HttpResponse response, HttpContext context) {
      return false;
    }
  }

  /// Gets what is there, or where it redirects to.
  ///
  /// @param authorization for the host of `uri` and no other
  /// @param first the way to `uri`
  /// @return owned by the caller; never a redirect
  /// @throws SourceUnavailableException where trying again is pointless: TLS without trust, a
  ///   response that is no HTTP or out of bounds, redirects without end or to where may not be gone
  Answer get(
      URI uri,
      Map<String, String> headers,
      Optional<String> authorization,
      Hop first,
      Transfer transfer)
      throws IOException {
    return follow(HttpGet::new, uri, headers, authorization, first, transfer);
  }

  /// As [#get], but asks for the head of the answer only.
  Answer head(URI uri, Optional<String> authorization, Hop first, Transfer transfer)
      throws IOException {
    return follow(HttpHead::new, uri, Map.of(), authorization, first, transfer);
  }

  private Answer follow(
      Function<URI, HttpUriRequest> method,
      URI uri,
      Map<String, String> headers,
      Optional<String> authorization,
      Hop first,
      Transfer transfer)
      throws IOException {
    URI at = uri;
    boolean home = true;
    for (int redirects = 0; redirects <= REDIRECTS; redirects++) {
      HttpUriRequest request = method.apply(at);
      headers.forEach(request::setHeader);
      if (home && authorization.isPresent()) {
        request.setHeader(HttpHeaders.AUTHORIZATION, authorization.get());
      }
      Answer answer = execute(request, home, home ? first : first.onwards(), transfer);
      if (!redirects(answer.status())) {
        return answer;
      }
      answer.close();
      at = target(at, answer);
      // Not even if a later redirect leads back: by then another host chose the path.
      home &= sameOrigin(uri, at);
    }
    throw new SourceUnavailableException(
        "Cannot read from " + uri.getRawAuthority() + ": more than " + REDIRECTS + " redirects");
  }

  /// Makes one request and follows nothing.
  Answer execute(HttpUriRequest request, boolean home, Hop hop, Transfer transfer)
      throws IOException {
    request.setHeader(HttpHeaders.ACCEPT_ENCODING, "identity");
    request.setHeader(HttpHeaders.CONNECTION, "close");
    transfer.running(request);
    String authority = request.getURI().getRawAuthority();
    try {
      return new Answer(request, client.execute(request, hop.context()), home);
    } catch (SSLException e) {
      throw tlsFailure(authority, e);
    } catch (MessageConstraintException | ClientProtocolException e) {
      throw new SourceUnavailableException(
          "Cannot read from " + authority + ": it answers no HTTP within bounds", e);
    } catch (IllegalStateException e) {
      // The client was shut down between the check above and its use.
      throw new IOException("The registry's connections were closed", e);
    }
  }

  private static boolean redirects(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }

  private URI target(URI from, Answer answer) throws SourceUnavailableException {
    String refusal = "Cannot read from " + from.getRawAuthority() + ": it redirects to ";
    String location = answer.header(HttpHeaders.LOCATION).orElse("");
    if (location.isBlank()) {
      throw new SourceUnavailableException(refusal + "nowhere");
    }
    URI target;
    try {
      target = from.resolve(new URI(location));
    } catch (URISyntaxException _) {
      // Not quoted: the location may be signed.
      throw new SourceUnavailableException(refusal + "what is no URL");
    }
    if (target.getHost() == null) {
      throw new SourceUnavailableException(refusal + "a URL without a host");
    }
    boolean secure = "https".equalsIgnoreCase(target.getScheme());
    boolean weaker = "https".equalsIgnoreCase(from.getScheme()) && !secure;
    if (!insecure.allows(target) || weaker) {
      throw new SourceUnavailableException(
          refusal
              + target.getScheme()
              + "://"
              + target.getHost()
              + (target.getPort() < 0 ? "" : ":" + target.getPort())
              + (weaker
                  ? ", which is not HTTPS as it is itself"
                  : ", which is neither HTTPS nor listed in " + setting));
    }
    return target;
  }

  private static boolean sameOrigin(URI one, URI other) {
    return one.getScheme().equalsIgnoreCase(other.getScheme())
        && one.getHost().equalsIgnoreCase(other.getHost())
        && port(one) == port(other);
  }

  private static int port(URI uri) {
    if (uri.getPort() >= 0) {
      return uri.getPort();
    }
    return uri.getScheme().equalsIgnoreCase("https") ? 443 : 80;
  }

  /// Tells what will fail again from what may pass. What the certificate holds is for the log: a
  /// client that chose the address is not to learn the names of what is there.
  private IOException tlsFailure(String authority, SSLException failure) {
    String action = "Cannot reach " + authority + " by HTTPS: ";
    if (failure instanceof SSLPeerUnverifiedException) {
      tell(authority, failure);
      return new SourceUnavailableException(action + "its certificate is for another host");
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        tell(authority, cause);
        return new SourceUnavailableException(action + untrusted(failure));
      }
    }
    if (Objects.toString(failure.getMessage(), "").startsWith("Unsupported or unrecognized")) {
      return new SourceDeniedException(
          action + "it speaks no TLS; if plain HTTP is meant, list " + authority + " in " + setting,
          failure);
    }
    return failure;
  }

  private static String untrusted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateExpiredException) {
        return "its certificate has expired";
      }
      if (cause instanceof CertificateNotYetValidException) {
        return "its certificate is not valid yet";
      }
      if (Objects.toString(cause.getMessage(), "").startsWith("No subject alternative")
          || Objects.toString(cause.getMessage(), "").startsWith("No name matching")) {
        return "its certificate is for another host";
      }
    }
    return "its certificate is not trusted; set the CA bundle to the PEM file of its certificate"
        + " authority";
  }

  /// Names out of a stranger's certificate.
  private static void tell(String authority, Throwable failure) {
    LOG.log(
        Level.DEBUG,
        "Refused a certificate: host={0} reason={1}",
        authority,
        Quoted.plain(Objects.toString(failure.getMessage(), "none given"), WORDS_LENGTH));
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}

package dev.pvcpopulators.registry.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.cloud.tools.jib.api.Credential;
import com.google.cloud.tools.jib.http.Authorization;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.http.AddressPolicy;
import dev.pvcpopulators.http.ConnectionGuard;
import dev.pvcpopulators.http.DownloadClient;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.http.Response;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.http.Transfer;
import dev.pvcpopulators.http.retry.TransientException;
import dev.pvcpopulators.registry.ManifestJson;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.apache.http.client.utils.URIBuilder;

/// Requests tokens, with or without credentials. Each token allows pulls from one repository
/// (Docker registry token authentication; RFC 6749 §6 for refresh tokens).
record TokenServer(DownloadClient client, InsecureHosts insecure) {
  private static final int ANSWER_LENGTH = 1 << 20;
  private static final int TOKEN_LENGTH = 64 << 10;
  private static final String CLIENT_ID = "pvc-populators";

  /// Requests a token.
  ///
  /// @param challenge the registry's challenge
  /// @param addresses the registry's policy, which decides whether the token server's address is
  ///   permitted
  /// @throws SourceDeniedException if the token server's response has a status other than 200 and
  ///   is not [Response#overloaded]
  Authorization token(
      Challenge challenge,
      Endpoint endpoint,
      Optional<Credential> credential,
      AddressPolicy addresses,
      Transfer transfer)
      throws IOException {
    URI realm = realm(challenge, endpoint);
    ConnectionGuard guard = ConnectionGuard.origin(addresses).redirected();
    SequencedMap<String, String> scope = new LinkedHashMap<>();
    challenge.parameter("service").ifPresent(service -> scope.put("service", service));
    scope.put("scope", "repository:" + endpoint.name() + ":pull");
    boolean refresh = credential.map(Credential::isOAuth2RefreshToken).orElse(false);
    try (Response answer =
        refresh
            ? refreshed(realm, scope, credential.get(), guard, transfer)
            : client.get(
                withQuery(realm, scope), Map.of(), basic(credential), _ -> true, guard, transfer)) {
      requireSuccess(answer, realm, credential.isPresent());
      return Authorization.fromBearerToken(read(answer, realm));
    }
  }

  private static Map<String, String> basic(Optional<Credential> credential) {
    return Repository.header(
        credential.map(
            it -> Authorization.fromBasicCredentials(it.getUsername(), it.getPassword())));
  }

  private Response refreshed(
      URI realm,
      SequencedMap<String, String> scope,
      Credential credential,
      ConnectionGuard guard,
      Transfer transfer)
      throws IOException {
    SequencedMap<String, String> form = new LinkedHashMap<>(scope);
    form.put("grant_type", "refresh_token");
    form.put("client_id", CLIENT_ID);
    form.put("refresh_token", credential.getPassword());
    return client.post(realm, form, guard, transfer);
  }

  private static URI withQuery(URI realm, SequencedMap<String, String> scope) {
    try {
      URIBuilder url = new URIBuilder(realm);
      scope.forEach(url::addParameter);
      return url.build();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("A URL with encoded parameters is one", e);
    }
  }

  /// Returns the URL of the token server. The registry names this server, and the server receives
  /// the credentials. Therefore the URL must be HTTPS, unless the registry is accessed by plain
  /// HTTP and the token server's host is listed as insecure.
  private URI realm(Challenge challenge, Endpoint endpoint) throws SourceUnavailableException {
    String action = "Cannot authenticate at " + endpoint.authority() + ": ";
    URI realm;
    try {
      realm = new URI(challenge.parameter("realm").orElse(""));
    } catch (URISyntaxException e) {
      throw new SourceUnavailableException(action + "its token server's address is no URL", e);
    }
    boolean plain = "http".equalsIgnoreCase(realm.getScheme());
    if (!insecure.allows(realm) || (plain && endpoint.scheme().equals("https"))) {
      throw new SourceUnavailableException(
          action
              + "its token server "
              + realm.getHost()
              + (plain && endpoint.scheme().equals("https")
                  ? " is not reached by HTTPS, although the registry is"
                  : " is neither HTTPS nor listed as an insecure registry"));
    }
    return realm;
  }

  private static void requireSuccess(Response answer, URI realm, boolean credentials)
      throws IOException {
    int status = answer.status();
    if (status == 200) {
      return;
    }
    String found = "The token server " + realm.getRawAuthority() + " answers HTTP " + status;
    if (answer.overloaded()) {
      throw new TransientException(found, answer.retryAfter());
    }
    throw new SourceDeniedException(
        found
            + (credentials ? " to the credentials of the registry" : "; no credentials were sent"));
  }

  private static String read(Response answer, URI realm) throws IOException {
    byte[] bytes = answer.bytes(ANSWER_LENGTH + 1);
    String refusal = "The token server " + realm.getRawAuthority() + " answers with no token: ";
    if (bytes.length > ANSWER_LENGTH) {
      throw new SourceUnavailableException(refusal + "more than " + ANSWER_LENGTH + " bytes");
    }
    JsonNode document;
    try {
      document = ManifestJson.read(bytes, "Token");
    } catch (MalformedImageException e) {
      throw new SourceUnavailableException(refusal + "no JSON object", e);
    }
    String name = document.path("token").asText("").isEmpty() ? "access_token" : "token";
    String token = document.path(name).asText("");
    boolean visible = token.chars().allMatch(c -> c > ' ' && c < 0x7f);
    if (token.isEmpty() || token.length() > TOKEN_LENGTH || !visible) {
      throw new SourceUnavailableException(
          refusal + "expected 1 to " + TOKEN_LENGTH + " visible characters");
    }
    return token;
  }
}

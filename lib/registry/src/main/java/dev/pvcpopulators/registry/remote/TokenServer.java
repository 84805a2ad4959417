package dev.pvcpopulators.registry.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.cloud.tools.jib.api.Credential;
import com.google.cloud.tools.jib.http.Authorization;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.registry.ManifestJson;
import dev.pvcpopulators.registry.SourceDeniedException;
import dev.pvcpopulators.registry.SourceUnavailableException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.http.NameValuePair;
import org.apache.http.client.entity.UrlEncodedFormEntity;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.client.utils.URIBuilder;
import org.apache.http.message.BasicNameValuePair;

/// Exchanges credentials, or none, for a token that lets one repository be pulled (Docker registry
/// token authentication; RFC 6749 §6 for refresh tokens).
final class TokenServer {
  private static final int ANSWER_LENGTH = 1 << 20;
  private static final int TOKEN_LENGTH = 64 << 10;
  private static final String CLIENT_ID = "pvc-populators";

  private final Wire wire;
  private final InsecureHosts insecure;

  TokenServer(Wire wire, InsecureHosts insecure) {
    this.wire = wire;
    this.insecure = insecure;
  }

  /// @param challenge the registry's
  /// @param reach of the registry
  /// @throws SourceDeniedException where the server refuses
  Authorization token(
      Challenge challenge,
      Endpoint endpoint,
      Optional<Credential> credential,
      Reach reach,
      Transfer transfer)
      throws IOException {
    URI realm = realm(challenge, endpoint);
    Hop way = Hop.asked(reach).onwards();
    List<NameValuePair> scope = new ArrayList<>();
    challenge
        .parameter("service")
        .ifPresent(service -> scope.add(new BasicNameValuePair("service", service)));
    scope.add(new BasicNameValuePair("scope", "repository:" + endpoint.name() + ":pull"));
    boolean refresh = credential.map(Credential::isOAuth2RefreshToken).orElse(false);
    try (Answer answer =
        refresh
            ? refreshed(realm, scope, credential.get(), way, transfer)
            : wire.get(withQuery(realm, scope), Map.of(), basic(credential), way, transfer)) {
      requireSuccess(answer, realm, credential.isPresent());
      return Authorization.fromBearerToken(read(answer, realm));
    }
  }

  private static Optional<String> basic(Optional<Credential> credential) {
    return credential.map(
        it -> Authorization.fromBasicCredentials(it.getUsername(), it.getPassword()).toString());
  }

  private Answer refreshed(
      URI realm, List<NameValuePair> scope, Credential credential, Hop way, Transfer transfer)
      throws IOException {
    List<NameValuePair> form = new ArrayList<>(scope);
    form.add(new BasicNameValuePair("grant_type", "refresh_token"));
    form.add(new BasicNameValuePair("client_id", CLIENT_ID));
    form.add(new BasicNameValuePair("refresh_token", credential.getPassword()));
    HttpPost request = new HttpPost(realm);
    request.setEntity(new UrlEncodedFormEntity(form, StandardCharsets.UTF_8));
    return wire.execute(request, true, way, transfer);
  }

  private static URI withQuery(URI realm, List<NameValuePair> scope) {
    try {
      return new URIBuilder(realm).addParameters(scope).build();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("A URL with encoded parameters is one", e);
    }
  }

  /// The registry names the server, and the credentials go there: never without TLS, unless neither
  /// has the registry itself and the server is listed, too.
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
                  ? " is not reached by HTTPS as it is itself"
                  : " is neither HTTPS nor listed as an insecure registry"));
    }
    return realm;
  }

  private static void requireSuccess(Answer answer, URI realm, boolean credentials)
      throws IOException {
    int status = answer.status();
    if (status == 200) {
      return;
    }
    String found = "The token server " + realm.getRawAuthority() + " answers HTTP " + status;
    if (Repository.overloaded(status)) {
      throw new TransientException(found, Repository.retryAfter(answer));
    }
    throw new SourceDeniedException(
        found + (credentials ? " to the credentials for it" : "; there were no credentials"));
  }

  private static String read(Answer answer, URI realm) throws IOException {
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
          refusal + "none of 1 to " + TOKEN_LENGTH + " visible characters");
    }
    return token;
  }
}

package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Issues tokens that a docker-registry accepts (Docker registry token authentication). `user` gets
/// tokens for all repositories. Other clients get tokens only for repositories below `public/`.
final class RealTokenServer implements Closeable {
  static final String PASSWORD = "s3cret";

  private static final Pattern SCOPE = Pattern.compile("[?&]scope=repository%3A([^&]*)%3A([^&]*)");
  private static final String AUTHORIZED =
      "Basic " + Base64.getEncoder().encodeToString(("user:" + PASSWORD).getBytes(UTF_8));

  private final PrivateKey key;
  private final Path certificate;
  private final FaultyRegistry server;

  RealTokenServer(CertificateAuthority authority) throws IOException {
    certificate = authority.certificate();
    try {
      key =
          KeyFactory.getInstance("RSA")
              .generatePrivate(new PKCS8EncodedKeySpec(pem(authority.key())));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
    server =
        new FaultyRegistry((request, reply) -> {
          String shown = request.header("authorization").orElse("");
          if (shown.isEmpty() || shown.equals(AUTHORIZED)) {
            String token = token(request.target(), shown.equals(AUTHORIZED));
            reply.send(200, "{\"token\":\"" + token + "\"}", "Content-Type: application/json");
          } else {
            reply.send(401, "");
          }
        });
  }

  /// Returns the section `auth` of the registry's configuration.
  String settings() {
    return "auth:\n  token:\n    realm: "
        + server.url("/token")
        + "\n    service: registry.test\n    issuer: issuer.test\n    rootcertbundle: \""
        + certificate
        + "\"\n";
  }

  /// Returns `host:port`.
  String authority() {
    return server.authority();
  }

  List<FaultyRegistry.Request> requests() {
    return server.requests();
  }

  private String token(String target, boolean authorized) throws IOException {
    List<String> access = new ArrayList<>();
    Matcher scopes = SCOPE.matcher(target);
    while (scopes.find()) {
      String name = URLDecoder.decode(scopes.group(1), UTF_8);
      if (authorized || name.startsWith("public/")) {
        String actions = URLDecoder.decode(scopes.group(2), UTF_8).replace(",", "\",\"");
        access.add(
            "{\"type\":\"repository\",\"name\":\""
                + name
                + "\",\"actions\":[\""
                + actions
                + "\"]}");
      }
    }
    long now = Instant.now().getEpochSecond();
    String head =
        "{\"typ\":\"JWT\",\"alg\":\"RS256\",\"x5c\":[\""
            + Base64.getEncoder().encodeToString(pem(certificate))
            + "\"]}";
    String claims =
        "{\"iss\":\"issuer.test\",\"sub\":\"user\",\"aud\":\"registry.test\",\"jti\":\"1\""
            + (",\"nbf\":" + (now - 60) + ",\"iat\":" + now + ",\"exp\":" + (now + 300))
            + ",\"access\":["
            + String.join(",", access)
            + "]}";
    String signed = encoded(head.getBytes(UTF_8)) + "." + encoded(claims.getBytes(UTF_8));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key);
      signature.update(signed.getBytes(US_ASCII));
      return signed + "." + encoded(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] pem(Path file) throws IOException {
    return Base64.getMimeDecoder()
        .decode(Files.readString(file).replaceAll("-----[A-Z ]+-----", ""));
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}

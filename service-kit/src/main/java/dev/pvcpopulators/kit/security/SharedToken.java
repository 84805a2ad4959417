package dev.pvcpopulators.kit.security;

import dev.pvcpopulators.kit.lifecycle.LogLimit;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// One token for all clients, from a setting or from a file that may change at any time.
final class SharedToken implements Access {
  private static final Logger LOG = System.getLogger(SharedToken.class.getName());
  private static final int MAX_BYTES = 8_192;

  private final Optional<String> setting;
  private final Optional<Path> file;
  private final int leastBytes;
  private final LogLimit missing = new LogLimit(1);

  /// Creates the rule, and reads the token once, so that a missing token is reported early.
  ///
  /// @param setting the token itself; ignored if there is a file
  /// @param file the file with the token
  /// @param leastBytes the minimum length of a token in bytes; if the token in the file becomes
  ///   shorter later, every request is refused
  /// @throws IOException if there is no token of a valid length now
  SharedToken(Optional<String> setting, Optional<Path> file, int leastBytes) throws IOException {
    this.setting = setting;
    this.file = file;
    this.leastBytes = leastBytes;
    var _ = token();
  }

  @Override
  public CompletionStage<Decision> decide(@Nullable String token, String address) {
    return CompletableFuture.completedStage(
        token != null && matches(token) ? Decision.ALLOWED : Decision.UNAUTHENTICATED);
  }

  private boolean matches(String token) {
    try {
      // Digests are compared, so that the time of the comparison reveals neither the content nor
      // the length of the token.
      return MessageDigest.isEqual(
          sha256(token.getBytes(StandardCharsets.UTF_8)),
          sha256(token().getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      if (missing.line().isPresent()) {
        LOG.log(
            Level.WARNING, "Requests are refused, because there is no token: {0}", e.getMessage());
      }
      return false;
    }
  }

  private String token() throws IOException {
    String token = file.isPresent() ? read(file.get()) : setting.orElseThrow().strip();
    if (token.isEmpty()) {
      throw new IOException("Reading the token: expected a token, found an empty file");
    }
    if (token.getBytes(StandardCharsets.UTF_8).length < leastBytes) {
      throw new IOException(
          "Reading the token: expected at least " + leastBytes + " bytes, found fewer");
    }
    return token;
  }

  /// Reads the token from the file. Called for every decision about a request with a token, because
  /// the file may change at any time; Kubernetes, for example, updates a mounted Secret by changing
  /// a symbolic link. The cost is low, because at most [#MAX_BYTES] + 1 bytes are read.
  private static String read(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException(
            "Reading " + path + ": expected a token of at most " + MAX_BYTES + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8).strip();
    }
  }

  /// Returns the SHA-256 of a token in hexadecimal, which identifies the token without revealing
  /// it.
  static String digest(String token) {
    return HexFormat.of().formatHex(sha256(token.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}

package dev.pvcpopulators.volume.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/// The credentials that a client sends to a service. The result of `toString` does not contain the
/// token.
public sealed interface Credentials {
  /// The maximum length of a token in bytes.
  int MAX_BYTES = 16_384;

  /// No credentials, for a service that requires none.
  record None() implements Credentials {}

  /// A bearer token (RFC 6750).
  ///
  /// @param value 1 to [Credentials#MAX_BYTES] visible ASCII characters
  record Token(String value) implements Credentials {
    private static final Pattern VISIBLE = Pattern.compile("[!-~]{1," + MAX_BYTES + "}");

    /// Refuses invalid tokens.
    ///
    /// @throws IllegalArgumentException if the value is empty, too long or not visible ASCII
    public Token {
      if (!VISIBLE.matcher(value).matches()) {
        throw new IllegalArgumentException(
            "Token: expected 1 to " + MAX_BYTES + " visible ASCII characters");
      }
    }

    @Override
    public String toString() {
      return "Token[hidden]";
    }
  }

  /// A bearer token in a file. The client reads the file for each request, because the token may
  /// change. White space around the token is ignored.
  record TokenFile(Path path) implements Credentials {}

  /// Returns the value of the header field `Authorization`; empty for [None].
  ///
  /// @throws IOException if the token file cannot be read or does not contain a valid token
  default Optional<String> authorization() throws IOException {
    return switch (this) {
      case None _ -> Optional.empty();
      case Token(var value) -> Optional.of("Bearer " + value);
      case TokenFile(var path) -> Optional.of("Bearer " + read(path).value());
    };
  }

  private static Token read(Path path) throws IOException {
    byte[] bytes;
    try (InputStream file = Files.newInputStream(path)) {
      bytes = file.readNBytes(MAX_BYTES + 1);
    }
    try {
      return new Token(new String(bytes, StandardCharsets.ISO_8859_1).strip());
    } catch (IllegalArgumentException e) {
      throw new IOException("Reading the token from " + path + ": " + e.getMessage(), e);
    }
  }
}

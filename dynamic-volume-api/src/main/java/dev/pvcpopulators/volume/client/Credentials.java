package dev.pvcpopulators.volume.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/// The credentials that a client sends to a service. The text form of credentials does not contain
/// the token.
public sealed interface Credentials {
  /// The longest token, in bytes.
  int MAX_BYTES = 16_384;

  /// No credentials, for a service that requires none.
  record None() implements Credentials {}

  /// A bearer token (RFC 6750).
  ///
  /// @param value visible ASCII characters
  record Token(String value) implements Credentials {
    private static final Pattern VISIBLE = Pattern.compile("[!-~]{1," + MAX_BYTES + "}");

    /// Refuses tokens that a header field cannot contain.
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

  /// A bearer token in a file. The file is read for each request, because tokens are rotated. White
  /// space around the token is ignored.
  record TokenFile(Path path) implements Credentials {}

  /// Returns the value of the header field `Authorization`; empty for no credentials.
  ///
  /// @throws IOException if the token file cannot be read or contains no token
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

package dev.pvcpopulators.http.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The files with the credentials for one source, for example the files of a mounted Secret.
///
/// @param headers the file with header fields, one `NAME: VALUE` per line
/// @param username the file with the user name; used only together with a password
/// @param password the file with the password; used only together with a user name
/// @param token the file with a bearer token (RFC 6750); ignored if both a user name and a password
///   are given
public record CredentialFiles(
    Optional<Path> headers,
    Optional<Path> username,
    Optional<Path> password,
    Optional<Path> token) {
  /// The maximum length of a file with a secret, in bytes.
  public static final int MAX_SECRET = 65_536;

  private static final Pattern FIELD =
      Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \\t]*([ -~\\t]{0,8192})");

  /// The forbidden header fields: the HTTP client itself sets them, or they concern the connection.
  private static final Set<String> RESERVED =
      Set.of(
          "accept-encoding",
          "connection",
          "content-length",
          "host",
          "if-range",
          "proxy-authorization",
          "range",
          "te",
          "transfer-encoding",
          "upgrade");

  /// Reads the files and returns the header fields. The result contains no two field names that
  /// differ only in case.
  ///
  /// @throws IllegalArgumentException if a file cannot be read or is malformed, or if the files
  ///   give two values for one field, such as `Authorization`. The message contains no content of a
  ///   file except the name of a forbidden or repeated field
  public Map<String, String> read() {
    Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.ifPresent(file -> fields.putAll(parse(secret(file))));
    if (username.isPresent() && password.isPresent()) {
      String pair = secret(username.get()) + ":" + secret(password.get());
      add(
          fields,
          "Authorization",
          "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)));
    } else {
      token.ifPresent(file ->
          parse("Authorization: Bearer " + secret(file))
              .forEach((name, value) -> add(fields, name, value)));
    }
    return Map.copyOf(fields);
  }

  /// Adds a field that the map does not contain yet. A second value for a field is refused, because
  /// a request can contain only one of the two values.
  private static void add(Map<String, String> fields, String name, String value) {
    if (fields.putIfAbsent(name, value) != null) {
      throw new IllegalArgumentException(
          "Expected the field "
              + name
              + " once in the header fields, user name and token, found it twice");
    }
  }

  /// Parses lines of the form `NAME: VALUE`, and ignores blank lines.
  ///
  /// @return the values by field name; no two field names differ only in case
  /// @throws IllegalArgumentException if a line has another form, or a field is forbidden or
  ///   repeated; the message quotes only the name of a forbidden or repeated field
  public static Map<String, String> parse(String text) {
    Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : text.lines().toList()) {
      if (line.isBlank()) {
        continue;
      }
      Matcher field = FIELD.matcher(line.strip());
      if (!field.matches()) {
        throw new IllegalArgumentException("Expected NAME: VALUE, found another line");
      }
      if (RESERVED.contains(field.group(1).toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "Expected no field that the service itself sets, found " + field.group(1));
      }
      add(fields, field.group(1), field.group(2));
    }
    return fields;
  }

  /// Reads a secret from a file, and removes the white space around the secret.
  ///
  /// @throws IllegalArgumentException if the file cannot be read, or is too long
  public static String secret(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_SECRET + 1);
      if (bytes.length > MAX_SECRET) {
        throw new IllegalArgumentException(
            "Expected at most " + MAX_SECRET + " bytes in " + file + ", found more");
      }
      return new String(bytes, UTF_8).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Cannot read " + file + ": " + e.getClass().getSimpleName(), e);
    }
  }
}

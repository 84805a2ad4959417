package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.RedirectPolicy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/// The URL of a file. Messages, logs and stored records contain the URL without its query
/// ([#toString]), because the query may contain a signature.
///
/// @param uri an absolute `http` or `https` URL with a host, without user information and fragment
public record FileUrl(URI uri) {
  /// Matches any of these: a path segment that begins with two dots; a backslash; the
  /// percent-encoding of a dot, slash, backslash, percent sign or byte below 0x20.
  private static final Pattern CLIMBS =
      Pattern.compile("(?i)(?:^|/)\\.\\.|\\\\|%2e|%2f|%5c|%25|%[01][0-9a-f]");

  /// The maximum number of characters of a text that [#parse] accepts.
  private static final int MAX_LENGTH = 4_096;

  /// The maximum number of characters of a URL before its query.
  public static final int MAX_SHOWN = 1_024;

  /// Parses a URL.
  ///
  /// @throws IllegalArgumentException if the URL is not valid; the message quotes no part of the
  ///   URL
  public static FileUrl parse(String text) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "Expected a URL of at most " + MAX_LENGTH + " characters, found more");
    }
    try {
      return new FileUrl(new URI(new URI(text.strip()).toASCIIString()));
    } catch (URISyntaxException _) {
      throw new IllegalArgumentException("Expected http(s)://HOST[:PORT]/FILE, found no URL");
    }
  }

  /// Checks a URL.
  ///
  /// @throws IllegalArgumentException if the URL is not valid; the message quotes no part of the
  ///   URL
  public FileUrl {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    if (uri.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
      throw new IllegalArgumentException(
          "Expected http(s)://HOST[:PORT]/FILE, found another scheme or no host");
    }
    if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "Expected a URL without user, password and fragment; credentials are read from files");
    }
    if ((scheme + "://" + uri.getRawAuthority() + uri.getRawPath()).length() > MAX_SHOWN) {
      throw new IllegalArgumentException(
          "Expected a URL of at most " + MAX_SHOWN + " characters before its query");
    }
  }

  /// Returns whether the scheme is `http`.
  public boolean plainHttp() {
    return "http".equalsIgnoreCase(uri.getScheme());
  }

  /// Returns `host[:port]`.
  public String authority() {
    return uri.getRawAuthority();
  }

  /// Returns whether another URL has the same scheme, host and port.
  public boolean hasOriginOf(FileUrl other) {
    return RedirectPolicy.sameOrigin(uri, other.uri);
  }

  /// Returns whether a URL is in the directory of this file or below it. Credentials for this file
  /// apply to all URLs in this directory and below it. Returns false for a path that may lead out
  /// of the directory, for example by `..` or its percent-encoding.
  boolean hasBeside(URI other) {
    String directory = directory(uri);
    String path = path(other);
    return RedirectPolicy.sameOrigin(uri, other)
        && path.startsWith(directory)
        && !CLIMBS.matcher(path.substring(directory.length())).find();
  }

  private static String directory(URI file) {
    String path = path(file);
    return path.substring(0, path.lastIndexOf('/') + 1);
  }

  private static String path(URI uri) {
    String path = uri.getRawPath();
    return path == null || path.isEmpty() ? "/" : path;
  }

  /// Returns the name of the file: the part of the decoded path after the last slash. A file of
  /// checksums contains this name.
  public String fileName() {
    String path = uri.getPath();
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /// Returns the SHA-256 of the query in hexadecimal; empty if the URL has no query. The SHA-256
  /// distinguishes URLs that differ only in the query.
  public String queryDigest() {
    String query = uri.getRawQuery();
    return query == null
        ? ""
        : Checksum.of(Checksum.Algorithm.SHA256, query.getBytes(StandardCharsets.UTF_8)).hex();
  }

  /// Returns the URL without its query.
  @Override
  public String toString() {
    return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
  }
}

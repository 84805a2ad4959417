package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.RedirectPolicy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/// The URL of a file. Its query may hold a signature, so messages, logs and records leave it out.
///
/// @param uri an absolute `http` or `https` URL with a host, without user information and fragment
public record FileUrl(URI uri) {
  /// A segment that begins with two dots, and octets that may become dots, slashes or their
  /// encodings when they are decoded.
  private static final Pattern CLIMBS =
      Pattern.compile("(?i)(?:^|/)\\.\\.|\\\\|%2e|%2f|%5c|%25|%[01][0-9a-f]");

  /// The longest URL.
  private static final int MAX_LENGTH = 4_096;

  /// The most characters before the query.
  public static final int MAX_SHOWN = 1_024;

  /// Reads a URL.
  ///
  /// @throws IllegalArgumentException with a message that quotes nothing of the URL
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

  /// @throws IllegalArgumentException as above
  public FileUrl {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    if (uri.getHost() == null || !(scheme.equals("https") || scheme.equals("http"))) {
      throw new IllegalArgumentException(
          "Expected http(s)://HOST[:PORT]/FILE, found another scheme or no host");
    }
    if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "Expected a URL without user, password and fragment; credentials are given by files");
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

  /// `host[:port]`.
  public String authority() {
    return uri.getRawAuthority();
  }

  /// Returns whether scheme, host and port are the same.
  public boolean hasOriginOf(FileUrl other) {
    return RedirectPolicy.sameOrigin(uri, other.uri);
  }

  /// Whether a URL is in the directory of this file, or below, so that credentials for this file
  /// are meant for it too. A path that may climb out of the directory is not, in any encoding that
  /// servers and proxies are known to undo.
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

  /// The last segment of the path, as a file of checksums names it.
  public String fileName() {
    String path = uri.getPath();
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /// The hash of the query, so that URLs that differ only there are told apart; else nothing.
  public String queryDigest() {
    String query = uri.getRawQuery();
    return query == null
        ? ""
        : Checksum.of(Checksum.Algorithm.SHA256, query.getBytes(StandardCharsets.UTF_8)).hex();
  }

  /// The URL without its query.
  @Override
  public String toString() {
    return uri.getScheme() + "://" + uri.getRawAuthority() + uri.getRawPath();
  }
}

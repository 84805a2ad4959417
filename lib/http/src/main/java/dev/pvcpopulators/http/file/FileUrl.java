package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.RedirectPolicy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// The URL of a file. Its query may hold a signature, so messages, logs and records leave it out.
///
/// @param uri an absolute `http` or `https` URL with a host, without user information and fragment
public record FileUrl(URI uri) {
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

  /// Whether the scheme is `http`.
  public boolean plainHttp() {
    return "http".equalsIgnoreCase(uri.getScheme());
  }

  /// `host[:port]`.
  public String authority() {
    return uri.getRawAuthority();
  }

  /// Whether scheme, host and port are the same.
  public boolean hasOriginOf(FileUrl other) {
    return RedirectPolicy.sameOrigin(uri, other.uri);
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

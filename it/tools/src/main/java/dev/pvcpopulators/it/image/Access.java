package dev.pvcpopulators.it.image;

import dev.pvcpopulators.it.Content;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One line of a registry's access log, in Apache's combined format.
///
/// @param path the path with its query
/// @param bytes the number of body bytes sent
public record Access(String method, String path, int status, long bytes) {
  private static final Pattern LINE =
      Pattern.compile("^\\S+ - \\S+ \\[[^]]*] \"(\\S+) (\\S+) HTTP/[0-9.]+\" (\\d+) (\\d+) .*");

  /// Parses a line of the log; returns empty if the line does not describe a request.
  public static Optional<Access> of(String line) {
    Matcher matcher = LINE.matcher(line);
    return matcher.matches()
        ? Optional.of(
            new Access(
                matcher.group(1),
                matcher.group(2),
                Integer.parseInt(matcher.group(3)),
                Long.parseLong(matcher.group(4))))
        : Optional.empty();
  }

  /// Returns whether the request was a successful GET of the blob or of a part of the blob.
  public boolean gets(Content blob) {
    return method.equals("GET") && status / 100 == 2 && path.endsWith("/blobs/" + blob.digest());
  }
}

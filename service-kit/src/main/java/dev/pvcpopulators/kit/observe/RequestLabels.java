package dev.pvcpopulators.kit.observe;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Bounds the metric labels that requests can create. Any client can request any path with any
/// method, and a refused request is counted, too. Without bounds, each new pair of path and method
/// would create another meter, which exists until the process ends.
@Singleton
final class RequestLabels implements MeterFilter {
  private static final String REQUESTS = "http.server.requests";
  private static final String PATH = "uri";
  private static final String METHOD = "method";
  private static final String OTHER = "other";

  /// The first segments of known paths, and `root`, which is Quarkus's label for `/`.
  private static final Set<String> PATHS = Set.of("volume", "upload", "page", "root");

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS");

  @Override
  public Meter.Id map(Meter.Id id) {
    if (!id.getName().equals(REQUESTS)) {
      return id;
    }
    return id.replaceTags(
        Tags.of(id.getTags())
            .and(
                List.of(
                    Tag.of(PATH, path(id.getTag(PATH))),
                    Tag.of(METHOD, METHODS.contains(method(id)) ? method(id) : OTHER))));
  }

  private static String method(Meter.Id id) {
    return Optional.ofNullable(id.getTag(METHOD)).orElse(OTHER);
  }

  /// Returns the label of a path: the first segment if it is known, such as `/upload` for
  /// `/upload/disk.qcow2`; otherwise `other`.
  private static String path(@Nullable String path) {
    String[] words = path == null ? new String[0] : path.split("/", 3);
    String first = words.length > 1 ? words[1] : words.length == 1 ? words[0] : "";
    return !PATHS.contains(first) ? OTHER : words.length > 1 ? "/" + first : first;
  }
}

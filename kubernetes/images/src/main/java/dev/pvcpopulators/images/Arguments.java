package dev.pvcpopulators.images;

import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The parsed command line.
///
/// @param base the directory that base.sh created, or the name of an image in a registry
/// @param staged the directory that stage.sh created
/// @param output the directory for the archives `SERVICE.tar`
/// @param push a registry's host and the prefix of the images' names in it; if empty, nothing is
///   pushed
/// @param insecure whether plain HTTP and certificates of unknown authorities are permitted for
///   registries
/// @param version the images' tag
/// @param origin the origin of the sources, for the images' labels
/// @param created the images' time, the same for the same sources
/// @param services the services to build, at least one
record Arguments(
    String base,
    Path staged,
    Path output,
    Optional<String> push,
    boolean insecure,
    String version,
    Origin origin,
    Instant created,
    List<String> services) {
  static final String USAGE =
      """
      usage: images --base BASE --staged DIRECTORY --output DIRECTORY --version VERSION [OPTION]... SERVICE...
      Makes the container images of the services as DIRECTORY/SERVICE.tar.

        --base BASE             the directory that base.sh made, or an image in a registry
        --staged DIRECTORY      the directory that stage.sh made
        --output DIRECTORY      where the archives are put
        --version VERSION       the images' tag
        --push HOST[/PREFIX]    also pushes them as HOST/PREFIX/SERVICE:VERSION
        --insecure              plain HTTP and any certificate, for --push and --base
        --revision COMMIT       the commit that they are made of
        --source URL            where the sources are
        --created TIME          the images' time (1970-01-01T00:00:00Z)
        --help                  this text
      """;

  /// The origin of an image's sources.
  record Origin(Optional<String> revision, Optional<String> source) {}

  Arguments {
    services = List.copyOf(services);
  }

  /// Parses the command line.
  ///
  /// @throws UsageException if an argument is unknown, missing or invalid
  static Arguments parse(List<String> words) throws UsageException {
    Options options = new Options(new ArrayDeque<>(words));
    Reading reading = new Reading();
    while (options.next()) {
      reading.take(options);
    }
    return reading.arguments();
  }

  /// The arguments that were not parsed yet.
  private static final class Options {
    private final Deque<String> words;
    private String word = "";

    Options(Deque<String> words) {
      this.words = words;
    }

    boolean next() {
      if (words.isEmpty()) {
        return false;
      }
      word = words.remove();
      return true;
    }

    String value() throws UsageException {
      if (words.isEmpty()) {
        throw new UsageException(word + ": expected a value behind it");
      }
      return words.remove();
    }
  }

  /// The options parsed so far.
  private static final class Reading {
    private static final Pattern SERVICE = Pattern.compile("[a-z][a-z0-9-]*");

    private Optional<String> base = Optional.empty();
    private Optional<String> staged = Optional.empty();
    private Optional<String> output = Optional.empty();
    private Optional<String> version = Optional.empty();
    private Optional<String> push = Optional.empty();
    private Optional<String> revision = Optional.empty();
    private Optional<String> source = Optional.empty();
    private Instant created = Instant.EPOCH;
    private boolean insecure;
    private final List<String> services = new ArrayList<>();

    void take(Options options) throws UsageException {
      switch (options.word) {
        case "--base" -> base = Optional.of(options.value());
        case "--staged" -> staged = Optional.of(options.value());
        case "--output" -> output = Optional.of(options.value());
        case "--version" -> version = Optional.of(options.value());
        case "--push" -> push = Optional.of(options.value());
        case "--revision" -> revision = Optional.of(options.value());
        case "--source" -> source = Optional.of(options.value());
        case "--created" -> created = time(options.value());
        case "--insecure" -> insecure = true;
        default -> services.add(service(options.word));
      }
    }

    private static Instant time(String value) throws UsageException {
      try {
        return Instant.parse(value);
      } catch (DateTimeParseException e) {
        throw new UsageException(
            "--created: expected a time like 2026-01-01T00:00:00Z, found " + value);
      }
    }

    private static String service(String word) throws UsageException {
      if (!SERVICE.matcher(word).matches()) {
        throw new UsageException("expected an option or a service, found " + word);
      }
      return word;
    }

    Arguments arguments() throws UsageException {
      if (services.isEmpty()) {
        throw new UsageException("no service is named");
      }
      return new Arguments(
          required("--base", base),
          Path.of(required("--staged", staged)),
          Path.of(required("--output", output)),
          push,
          insecure,
          required("--version", version),
          new Origin(revision, source),
          created,
          services);
    }

    private static String required(String option, Optional<String> value) throws UsageException {
      return value.orElseThrow(() -> new UsageException(option + " is missing"));
    }
  }
}

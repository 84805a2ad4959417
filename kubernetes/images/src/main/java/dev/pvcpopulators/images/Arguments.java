package dev.pvcpopulators.images;

import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The parsed command line.
///
/// @param base the directory that base.sh created, or the name of an image in a registry
/// @param staged the directory that stage.sh created
/// @param output the directory for the archives `SERVICE.tar`
/// @param push a registry's host, and optionally a prefix of the images' names, as `HOST[/PREFIX]`;
///   if empty, nothing is pushed
/// @param insecure whether plain HTTP and certificates of unknown authorities are permitted for
///   registries
/// @param version the images' tag
/// @param origin the origin of the sources, for the images' labels
/// @param created the images' creation time; without `--created`, the beginning of 1970
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

  private static final String INSECURE = "--insecure";
  private static final Set<String> WITH_VALUE =
      Set.of(
          "--base",
          "--staged",
          "--output",
          "--version",
          "--push",
          "--revision",
          "--source",
          "--created");
  private static final Pattern SERVICE = Pattern.compile("[a-z][a-z0-9-]*");

  /// The commit and the URL of the images' source code; each is empty if it is not given.
  record Origin(Optional<String> revision, Optional<String> source) {}

  Arguments {
    services = List.copyOf(services);
  }

  /// Parses the command line.
  ///
  /// @throws UsageException if an argument is unknown, missing or invalid
  static Arguments parse(List<String> words) throws UsageException {
    Map<String, String> options = new HashMap<>();
    List<String> services = new ArrayList<>();
    for (Iterator<String> rest = words.iterator(); rest.hasNext(); ) {
      String word = rest.next();
      if (word.equals(INSECURE)) {
        options.put(INSECURE, "");
      } else if (!WITH_VALUE.contains(word)) {
        services.add(service(word));
      } else if (rest.hasNext()) {
        options.put(word, rest.next());
      } else {
        throw new UsageException(word + ": expected a value after it");
      }
    }
    if (services.isEmpty()) {
      throw new UsageException("no service is named");
    }
    return new Arguments(
        required(options, "--base"),
        Path.of(required(options, "--staged")),
        Path.of(required(options, "--output")),
        Optional.ofNullable(options.get("--push")),
        options.containsKey(INSECURE),
        required(options, "--version"),
        new Origin(
            Optional.ofNullable(options.get("--revision")),
            Optional.ofNullable(options.get("--source"))),
        time(options.getOrDefault("--created", Instant.EPOCH.toString())),
        services);
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

  private static String required(Map<String, String> options, String name) throws UsageException {
    String value = options.get(name);
    if (value == null) {
      throw new UsageException(name + " is missing");
    }
    return value;
  }
}

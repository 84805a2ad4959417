package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.torture.fault.Fault;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The command-line options.
///
/// @param time the time after which no round begins, measured from the end of the rounds of
///   `growth`
/// @param rounds the maximum number of rounds, in addition to the rounds of `growth`
/// @param seed the seed of the run, from which the seeds of the rounds are derived
/// @param subject the name of the only subject; empty for all
/// @param fault the name of the only fault; empty for all
/// @param round the seed of the only round to play; empty for a run of many rounds
/// @param growth the number of rounds that the run plays first for each service; 0 for none. One
///   process of the service plays all these rounds. The rounds check that memory, threads and
///   descriptors of the process do not grow without limit.
/// @param report the file that gets one line per round; empty for none
record Options(
    Duration time,
    long rounds,
    long seed,
    String subject,
    String fault,
    Optional<Long> round,
    int growth,
    Optional<Path> report) {
  static final String USAGE =
      """
      usage: torture [--time 20m] [--rounds N] [--seed HEX] [--subject NAME] [--fault NAME]
                     [--round HEX] [--growth N] [--report FILE]
      """;

  private static final Set<String> KNOWN =
      Set.of("time", "rounds", "seed", "subject", "fault", "round", "growth", "report");

  static Options of(List<String> arguments) {
    Map<String, String> given = new HashMap<>();
    for (int i = 0; i < arguments.size(); i += 2) {
      String name = arguments.get(i).replaceFirst("^--", "");
      if (!KNOWN.contains(name) || i + 1 == arguments.size()) {
        throw new IllegalArgumentException(arguments.get(i) + "\n" + USAGE);
      }
      given.put(name, arguments.get(i + 1));
    }
    boolean bounded = given.containsKey("rounds");
    return new Options(
        duration(given.getOrDefault("time", bounded ? "24h" : "1m")),
        Long.parseLong(given.getOrDefault("rounds", Long.toString(Long.MAX_VALUE))),
        Optional.ofNullable(given.get("seed"))
            .map(HexFormat::fromHexDigitsToLong)
            .orElseGet(() -> new SecureRandom().nextLong()),
        given.getOrDefault("subject", ""),
        given.getOrDefault("fault", ""),
        Optional.ofNullable(given.get("round")).map(HexFormat::fromHexDigitsToLong),
        Integer.parseInt(given.getOrDefault("growth", "0")),
        Optional.ofNullable(given.get("report")).map(Path::of));
  }

  /// Returns whether the options permit a fault.
  boolean wants(Fault wanted) {
    return fault.isEmpty() || wanted.name().equals(fault);
  }

  /// Parses a duration such as `90s`, `20m` or `1h`.
  private static Duration duration(String text) {
    return Duration.parse("PT" + text);
  }
}

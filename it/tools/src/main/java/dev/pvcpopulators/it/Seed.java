package dev.pvcpopulators.it;

import java.util.Random;

/// A source of random choices that a failure can be repeated with.
///
/// @param value the seed; `-Dit.seed=VALUE` sets it for every test of a run
public record Seed(long value) {
  /// A new seed, or the one that was asked for; printed either way.
  public static Seed of(String test) {
    Long asked = Long.getLong("it.seed");
    Seed seed = new Seed(asked != null ? asked : System.nanoTime() ^ test.hashCode());
    System.out.println(test + ": seed " + seed.value + " (repeat with -Dit.seed=)");
    return seed;
  }

  public Random random() {
    return new Random(value);
  }

  /// A seed that depends on this one and on nothing else.
  public Random random(long branch) {
    return new Random(value * 31 + branch);
  }
}

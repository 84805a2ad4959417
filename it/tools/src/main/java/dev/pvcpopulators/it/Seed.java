package dev.pvcpopulators.it;

import java.util.Random;

/// A source of repeatable random choices.
///
/// @param value the seed; `-Dit.seed=VALUE` sets it for every test of a run
public record Seed(long value) {
  /// Returns the seed of `-Dit.seed`, or a new seed if this property is not set. Prints the seed.
  public static Seed of(String test) {
    Long asked = Long.getLong("it.seed");
    Seed seed = new Seed(asked != null ? asked : System.nanoTime() ^ test.hashCode());
    System.out.println(test + ": seed " + seed.value + " (repeat with -Dit.seed=)");
    return seed;
  }

  public Random random() {
    return new Random(value);
  }

  /// Returns a random generator whose seed is derived from this seed and from `branch`.
  public Random random(long branch) {
    return new Random(value * 31 + branch);
  }
}

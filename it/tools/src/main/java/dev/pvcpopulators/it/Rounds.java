package dev.pvcpopulators.it;

import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Chooses the number of cases of a test: some cases for `make test`, and all cases for `make
/// nightly`.
public final class Rounds {
  private static final boolean ALL = Boolean.getBoolean("tests.all");

  private Rounds() {}

  /// Returns whether all cases run.
  public static boolean all() {
    return ALL;
  }

  /// Returns the first number for `make test`, and the second number for `make nightly`.
  public static int of(int few, int all) {
    return ALL ? all : few;
  }

  /// Returns the first case of each group of `step` cases for `make test`, and all cases for `make
  /// nightly`.
  public static <T> Stream<T> oneOf(int step, Collection<T> cases) {
    List<T> all = List.copyOf(cases);
    return IntStream.range(0, all.size()).filter(i -> ALL || i % step == 0).mapToObj(all::get);
  }
}

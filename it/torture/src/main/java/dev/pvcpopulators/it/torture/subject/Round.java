package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.torture.fault.Fault;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/// One round. The seed and the options of the run determine all random choices of the round.
///
/// @param seed the seed for `--round`, which repeats the round
/// @param number the number of the round in the run, from 1
/// @param input the index of the round's input in the list of the subject's inputs
/// @param random the source of random choices of the subject and the fault
public record Round(
    long seed,
    int number,
    Subject subject,
    int input,
    Fault fault,
    Moment moment,
    SplittableRandom random) {
  /// Chooses a round at random. The choices depend only on the seed, the subjects and the permitted
  /// faults.
  ///
  /// @param able accepts the permitted faults
  /// @throws IllegalArgumentException if no subject has a permitted fault
  public static Round of(long seed, int number, List<Subject> subjects, Predicate<Fault> able) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Subject> open =
        subjects.stream().filter(subject -> subject.faults().stream().anyMatch(able)).toList();
    Subject subject = any(open, random);
    int input = random.nextInt(subject.inputs().size());
    Fault chosen = any(subject.faults().stream().filter(able).toList(), random);
    return new Round(seed, number, subject, input, chosen, Moment.any(random), random.split());
  }

  private static <T> T any(List<T> list, SplittableRandom random) {
    if (list.isEmpty()) {
      throw new IllegalArgumentException("No subject has a permitted fault");
    }
    return list.get(random.nextInt(list.size()));
  }

  public String hex() {
    return HexFormat.of().toHexDigits(seed);
  }
}

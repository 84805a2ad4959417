package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.NumericalValue;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/// A result function: computes the result of a key from the initiator's offer and the target's own
/// value (RFC 7143, section 6.2).
@FunctionalInterface
interface ResultFunction {
  /// Returns the result of the negotiation, which is also the target's answer.
  ///
  /// @return the result; empty if the key does not allow the offer, or no offered value is
  ///   supported
  Optional<String> result(String offer);

  /// Returns a function whose result is the smaller of the offer and `ours`. An offer that is not a
  /// number from `least` to `most` has no result.
  static ResultFunction minimum(int least, int most, int ours) {
    return number(least, most, theirs -> Math.min(theirs, ours));
  }

  /// Returns a function whose result is the greater of the offer and `ours`. An offer that is not a
  /// number from `least` to `most` has no result.
  static ResultFunction maximum(int least, int most, int ours) {
    return number(least, most, theirs -> Math.max(theirs, ours));
  }

  /// Returns a function with the result `Yes` if both sides state `Yes`, else `No`. An offer other
  /// than `Yes` and `No` has no result.
  static ResultFunction and(boolean ours) {
    return offer -> bool(offer).map(theirs -> text(theirs && ours));
  }

  /// Returns a function with the result `Yes` if at least one side states `Yes`, else `No`. An
  /// offer other than `Yes` and `No` has no result.
  static ResultFunction or(boolean ours) {
    return offer -> bool(offer).map(theirs -> text(theirs || ours));
  }

  /// Returns a function whose result is the first value in the initiator's list that is also in
  /// `ours`.
  static ResultFunction firstOf(List<String> ours) {
    return offer -> Arrays.stream(offer.split(",", -1)).filter(ours::contains).findFirst();
  }

  private static ResultFunction number(int least, int most, LongUnaryOperator result) {
    return offer ->
        NumericalValue.parse(offer, least, most).stream()
            .map(result)
            .mapToObj(Long::toString)
            .findFirst();
  }

  private static Optional<Boolean> bool(String offer) {
    return switch (offer) {
      case OperationalKey.YES -> Optional.of(true);
      case OperationalKey.NO -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  private static String text(boolean value) {
    return value ? OperationalKey.YES : OperationalKey.NO;
  }
}

package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.NumericalValue;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

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
    return offer -> text(NumericalValue.parse(offer, least, most), ours, true);
  }

  /// Returns a function whose result is the greater of the offer and `ours`. An offer that is not a
  /// number from `least` to `most` has no result.
  static ResultFunction maximum(int least, int most, int ours) {
    return offer -> text(NumericalValue.parse(offer, least, most), ours, false);
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
    return offer -> {
      for (String value : offer.split(",", -1)) {
        if (ours.contains(value)) {
          return Optional.of(value);
        }
      }
      return Optional.empty();
    };
  }

  private static Optional<String> text(OptionalLong theirs, int ours, boolean smaller) {
    if (theirs.isEmpty()) {
      return Optional.empty();
    }
    long value = theirs.getAsLong();
    return Optional.of(Long.toString(smaller ? Math.min(value, ours) : Math.max(value, ours)));
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

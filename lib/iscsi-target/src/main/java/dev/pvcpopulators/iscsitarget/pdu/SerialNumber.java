package dev.pvcpopulators.iscsitarget.pdu;

/// Serial number arithmetic of 32 bits (RFC 1982), used to compare CmdSN, StatSN, DataSN and R2TSN
/// (RFC 7143, section 4.2.2).
public final class SerialNumber {
  private SerialNumber() {}

  /// Returns whether `a` comes before `b`. Neither is before the other if they are 2³¹ apart.
  public static boolean before(int a, int b) {
    int distance = b - a;
    return distance > 0;
  }

  /// Returns the distance from `from` to `to`; negative if `to` is before `from`.
  public static int distance(int from, int to) {
    return to - from;
  }

  /// Returns whether a number lies in a window: `first ≤ number ≤ last`. The window is empty if
  /// `last` comes before `first`.
  public static boolean within(int number, int first, int last) {
    return !before(number, first) && !before(last, number);
  }
}

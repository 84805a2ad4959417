package dev.pvcpopulators.iscsitarget.inquiry;

/// The eight bytes that address a logical unit (SAM-5, section 4.7).
///
/// | Bits 63–62 | Address method                                        |
/// |-----------:|-------------------------------------------------------|
/// | 00b        | peripheral device: bus (0) in 61–56, number in 55–48  |
/// | 01b        | flat space: number in 61–48                           |
/// | 10b        | logical unit: not used here                           |
/// | 11b        | extended: `C101h` is REPORT LUNS, a well-known unit   |
///
/// Bits 47–0 are zero, because the addresses have only one level.
public final class LunField {
  /// The greatest logical unit number in flat space addressing.
  public static final int GREATEST = 0x3FFF;

  /// The result of [#number] for the well-known logical unit REPORT LUNS.
  public static final int REPORT_LUNS = -1;

  /// The result of [#number] for a field that cannot address a logical unit of this target.
  public static final int NONE = -2;

  private static final int FIRST_LEVEL_SHIFT = 48;
  private static final int METHOD_SHIFT = 14;
  private static final int PERIPHERAL = 0;
  private static final int FLAT = 1;
  private static final int GREATEST_PERIPHERAL = 0xFF;
  private static final int REPORT_LUNS_ADDRESS = 0xC101;

  private LunField() {}

  /// Returns the number of the logical unit that a field addresses, or [#REPORT_LUNS] or [#NONE].
  public static int number(long field) {
    int address = (int) (field >>> FIRST_LEVEL_SHIFT);
    if (field << Short.SIZE != 0) {
      return NONE;
    }
    return switch (address >> METHOD_SHIFT) {
      case PERIPHERAL -> address <= GREATEST_PERIPHERAL ? address : NONE;
      case FLAT -> address & GREATEST;
      default -> address == REPORT_LUNS_ADDRESS ? REPORT_LUNS : NONE;
    };
  }

  /// Returns the field for a logical unit number. For numbers up to 255, the field uses the
  /// peripheral device method; for greater numbers, the flat space method.
  public static long field(int number) {
    int address = number <= GREATEST_PERIPHERAL ? number : FLAT << METHOD_SHIFT | number;
    return (long) address << FIRST_LEVEL_SHIFT;
  }

  /// Returns the field of the well-known logical unit REPORT LUNS.
  public static long reportLuns() {
    return (long) REPORT_LUNS_ADDRESS << FIRST_LEVEL_SHIFT;
  }
}

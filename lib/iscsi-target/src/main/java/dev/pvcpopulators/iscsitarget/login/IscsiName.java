package dev.pvcpopulators.iscsitarget.login;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// An iSCSI name in canonical form (RFC 7143, section 4.2.7): a name that begins with `iqn.`,
/// `eui.` or `naa.` and is prepared as RFC 3722 requires. ASCII characters are prepared by
/// conversion to lower case. Names with characters outside ASCII are refused.
///
/// One character that RFC 3722 prohibits is accepted: `_` after the colon of an `iqn.` name. QEMU
/// derives its initiator name from the name of the virtual machine, where `_` is common.
///
/// @param value the name in canonical form, at most [#MAX_LENGTH] bytes
public record IscsiName(String value) {
  /// The greatest length of a name in bytes.
  public static final int MAX_LENGTH = 223;

  private static final Pattern SYNTAX =
      Pattern.compile(
          "iqn\\.[0-9]{4}-(?:0[1-9]|1[0-2])\\.[a-z0-9][a-z0-9.-]*(?::[a-z0-9.:_-]*)?"
              + "|eui\\.[0-9a-f]{16}"
              + "|naa\\.(?:[0-9a-f]{16}|[0-9a-f]{32})");

  /// Creates a name from a value in canonical form.
  ///
  /// @throws IllegalArgumentException if the value is not in canonical form
  public IscsiName {
    if (value.length() > MAX_LENGTH || !SYNTAX.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "iSCSI name: expected iqn., eui. or naa. in canonical form, found "
              + value.length()
              + " other characters");
    }
  }

  /// Converts a name to its canonical form.
  ///
  /// @return the canonical form; empty if the text is not an iSCSI name
  public static Optional<IscsiName> parse(String text) {
    if (text.length() > MAX_LENGTH || !text.chars().allMatch(c -> c > ' ' && c <= '~')) {
      return Optional.empty();
    }
    String prepared = text.toLowerCase(Locale.ROOT);
    return SYNTAX.matcher(prepared).matches()
        ? Optional.of(new IscsiName(prepared))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return value;
  }
}

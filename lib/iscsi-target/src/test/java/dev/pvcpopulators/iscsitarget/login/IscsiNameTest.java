package dev.pvcpopulators.iscsitarget.login;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IscsiNameTest {
  @ParameterizedTest
  @CsvSource({
    "iqn.2001-04.com.example, iqn.2001-04.com.example",
    "iqn.2001-04.com.example:storage:diskarrays-sn-a8675309,"
        + " iqn.2001-04.com.example:storage:diskarrays-sn-a8675309",
    "IQN.1991-05.com.Microsoft:HOST-1, iqn.1991-05.com.microsoft:host-1",
    "iqn.2008-11.org.linux-kvm:my_vm, iqn.2008-11.org.linux-kvm:my_vm",
    "iqn.2017-01.io.kubevirt:sn.42, iqn.2017-01.io.kubevirt:sn.42",
    "iqn.2001-04.com.example:, iqn.2001-04.com.example:",
    "eui.02004567A425678D, eui.02004567a425678d",
    "naa.52004567BA64678D, naa.52004567ba64678d",
    "naa.62004567BA64678D0123456789ABCDEF, naa.62004567ba64678d0123456789abcdef"
  })
  void preparesNames(String text, String expected) {
    assertEquals(Optional.of(expected), IscsiName.parse(text).map(IscsiName::value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "iqn",
        "iqn.2001-04.",
        "iqn.2001-00.com.example",
        "iqn.2001-13.com.example",
        "iqn.01-04.com.example",
        "iqn.2001-04.com_example",
        "iqn.2001-04.com.example:a b",
        "iqn.2001-04.com.example:a;b",
        "iqn.2001-04.com.example:a,b",
        "iqn.2001-04.com.example:a/b",
        "iqn.2001-04.com.example:a\0",
        "iqn.2001-04.com.example:a\n",
        "iqn.2001-04.com.example:\u00e4",
        "iqn.2001-04.com.example:\u212a", // the Kelvin sign, whose lower case is k
        "eui.02004567A425678",
        "eui.02004567A425678DD",
        "eui.02004567A425678G",
        "naa.52004567BA64678D0",
        "host-1"
      })
  void refusesInvalidNames(String text) {
    assertEquals(Optional.empty(), IscsiName.parse(text));
  }

  @Test
  void takes223BytesAndNoMore() {
    String longest = "iqn.2001-04.com.example:" + "a".repeat(199);
    assertEquals(223, longest.length());
    assertEquals(Optional.of(new IscsiName(longest)), IscsiName.parse(longest));
    assertEquals(Optional.empty(), IscsiName.parse(longest + "a"));
    assertThrows(IllegalArgumentException.class, () -> new IscsiName(longest + "a"));
    assertThrows(IllegalArgumentException.class, () -> new IscsiName("IQN.2001-04.com.example"));
  }
}

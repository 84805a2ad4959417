package dev.pvcpopulators.registrystreamiscsi.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class InitiatorRulesTest {
  private static final String NAME = "iqn.2026-11.org.example:one";

  private static InetAddress address(String text) throws UnknownHostException {
    return InetAddress.getByName(text);
  }

  @Test
  void withoutEntriesEverybodyIsAdmitted() throws UnknownHostException {
    InitiatorRules rules = InitiatorRules.of(List.of());
    assertTrue(rules.open());
    assertTrue(rules.admits(NAME, address("192.0.2.1")));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.255.255, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "192.0.2.4/31, 192.0.2.5, true",
    "192.0.2.4/31, 192.0.2.6, false",
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.7, 192.0.2.6, false",
    "0.0.0.0/0, 203.0.113.9, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false"
  })
  void networksAreComparedBitByBit(String network, String from, boolean admitted)
      throws UnknownHostException {
    InitiatorRules rules = InitiatorRules.of(List.of(network));
    assertEquals(admitted, rules.admits(NAME, address(from)));
  }

  @Test
  void aNameMustBeOneOfThoseGiven() throws UnknownHostException {
    InitiatorRules rules = InitiatorRules.of(List.of(NAME.toUpperCase(Locale.ROOT)));
    assertTrue(rules.admits(NAME, address("192.0.2.1")));
    assertFalse(rules.admits(NAME + "x", address("192.0.2.1")));
  }

  @Test
  void nameAndNetworkMustBothFit() throws UnknownHostException {
    InitiatorRules rules = InitiatorRules.of(List.of(NAME, "192.0.2.0/24"));
    assertTrue(rules.admits(NAME, address("192.0.2.1")));
    assertFalse(rules.admits(NAME, address("198.51.100.1")));
    assertFalse(rules.admits("iqn.2026-11.org.example:two", address("192.0.2.1")));
  }

  /// The addresses of a host name can change, so host names are refused. The JDK reads `10.1` as
  /// 10.0.0.1, so short addresses are refused.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "cafe.de",
        "10",
        "10.1",
        "10.1/16",
        "10.0.0.256",
        "1.2.3.4.5",
        ":",
        "10.0.0.0/",
        "10.0.0.0/x",
        "10.0.0.0/-1",
        "10.0.0.0/33",
        "2001:db8::/129",
        "iqn.",
        "1/2/3"
      })
  void refusesWhatIsNeitherANameNorANetwork(String entry) {
    assertThrows(IllegalArgumentException.class, () -> InitiatorRules.of(List.of(entry)));
  }
}

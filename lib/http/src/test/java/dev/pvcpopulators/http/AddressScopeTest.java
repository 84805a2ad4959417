package dev.pvcpopulators.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressScopeTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, THIS_MACHINE",
    "127.255.1.2, THIS_MACHINE",
    "0.0.0.0, THIS_MACHINE",
    "0.1.2.3, THIS_MACHINE",
    "::1, THIS_MACHINE",
    "::, THIS_MACHINE",
    "::ffff:127.0.0.1, THIS_MACHINE",
    "::127.0.0.1, THIS_MACHINE",
    "64:ff9b::7f00:1, THIS_MACHINE",
    "2002:7f00:1::, THIS_MACHINE",
    "::ffff:0:7f00:1, THIS_MACHINE",
    "64:ff9b:1::7f00:1, THIS_MACHINE",
    "64:ff9b:1:7f00:0:100::, THIS_MACHINE",
    "2001:0:7f00:1::1, THIS_MACHINE",
    "2001:0:c000:201::80ff:fffe, THIS_MACHINE",
    "64:ff9b:1:a9fe:a9:fe00::, LINK",
    "64:ff9b:1:a9:fe:a9fe::, LINK",
    "::ffff:0:a9fe:a9fe, LINK",
    "2001:0:c000:201::5601:5601, LINK",
    "2002:a9fe:a9fe::1, LINK",
    "fd00:42::42, LINK",
    "192.0.0.192, LINK",
    "::ffff:192.0.0.192, LINK",
    "169.254.169.254, LINK",
    "169.254.0.1, LINK",
    "fe80::1, LINK",
    "febf::1, LINK",
    "fd00:ec2::254, LINK",
    "fd20:ce::254, LINK",
    "100.100.100.200, LINK",
    "168.63.129.16, LINK",
    "64:ff9b::a9fe:a9fe, LINK",
    "224.0.0.1, MANY",
    "239.255.255.255, MANY",
    "ff02::1, MANY",
    "255.255.255.255, MANY"
  })
  void recognisesInternalAddresses(String address, AddressScope expected) throws SocketException {
    assertEquals(Optional.of(expected), AddressScope.of(InetAddress.ofLiteral(address)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.1",
        "198.51.100.7",
        "203.0.113.255",
        "2001:db8::1",
        "fd12:3456::1",
        "64:ff9b::c000:201",
        "64:ff9b:1:c000:2:100:c000:201",
        "2001:0:c000:201::3fff:fdfe",
        "fd00:42::43"
      })
  void leavesTheRestAlone(String address) throws SocketException {
    assertEquals(Optional.empty(), AddressScope.of(InetAddress.ofLiteral(address)));
  }

  @Test
  void knowsThisMachinesOwnAddresses() throws SocketException {
    for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
      for (InetAddress own : each.inetAddresses().toList()) {
        assertEquals(Optional.of(AddressScope.THIS_MACHINE), AddressScope.of(own));
      }
    }
  }
}

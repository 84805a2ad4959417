package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class InquiryTest {
  private final Testbed bench = new Testbed();
  private final Nexus nexus = bench.login("a", 1);

  @Test
  void tellsStandardData() {
    byte[] data = bench.data(nexus, "12 00 00 01 04 00");
    byte[] expected = new byte[96];
    ByteBuffer.wrap(expected)
        .put(FakeTask.hex("00 80 06 12 5b 08 00 02"))
        .put("PVCPOP  Disk            0001".getBytes(StandardCharsets.US_ASCII))
        .position(58)
        .put(FakeTask.hex("00a0 0460 04c0 0960"));
    assertArrayEquals(expected, data);
  }

  @Test
  void cutsOffAtTheAllocationLength() {
    for (int length : new int[] {0, 1, 5, 36, 95, 96, 97, 255, 256, 511, 512, 65535}) {
      byte[] data = bench.data(nexus, String.format("12 00 00 %04x 00", length));
      assertEquals(Math.min(96, length), data.length);
    }
  }

  @Test
  void refusesAPageCodeWithoutEvpdAndReservedBits() {
    assertEquals(0x2400, bench.run(nexus, "12 00 01 01 00 00").code());
    assertEquals(0x2400, bench.run(nexus, "12 02 00 01 00 00").code(), "CMDDT");
    assertEquals(0x2400, bench.run(nexus, "12 01 81 01 00 00").code(), "no such page");
  }

  @Test
  void listsExactlyThePagesThatThereAre() {
    byte[] list = bench.data(nexus, "12 01 00 01 00 00");
    assertEquals("000000", HexFormat.of().formatHex(list, 0, 3));
    for (int code = 0; code < 256; code++) {
      int wanted = code;
      boolean listed =
          HexFormat.of()
              .formatHex(list, 4, list.length)
              .matches("(..)*" + String.format("%02x", wanted) + "(..)*");
      Testbed.Result page = bench.run(nexus, String.format("12 01 %02x 01 00 00", code));
      if (listed) {
        ByteBuffer data = ByteBuffer.wrap(page.data());
        assertEquals(code, data.get(1) & 0xFF);
        assertEquals(data.remaining() - 4, data.getShort(2), "length of page " + code);
      } else {
        assertEquals(0x2400, page.code());
      }
    }
  }

  @Test
  void namesTheUnitByADigestOfItsIdentity() throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256")
            .digest("registry/disk@1".getBytes(StandardCharsets.UTF_8));
    String hex = HexFormat.of().formatHex(digest);
    byte[] serial = bench.data(nexus, "12 01 80 01 00 00");
    assertEquals(
        hex.substring(0, 32),
        new String(Arrays.copyOfRange(serial, 4, serial.length), StandardCharsets.US_ASCII));
    byte[] page = bench.data(nexus, "12 01 83 01 00 00");
    String expected =
        "0083002c"
            + "01030008"
            + "3"
            + hex.substring(0, 15)
            + "02010014"
            + HexFormat.of()
                .formatHex(("PVCPOP  " + hex.substring(0, 12)).getBytes(StandardCharsets.US_ASCII))
            + "51940004"
            + "00000001";
    assertEquals(expected, HexFormat.of().formatHex(page));
  }

  @Test
  void givesAnotherUnitAnotherName() {
    assertNotEquals(new UnitIdentity("a").serialNumber(), new UnitIdentity("b").serialNumber());
    assertTrue(new UnitIdentity("a").isDesignator(3, new UnitIdentity("a").naa()));
  }

  @Test
  void tellsOfQueuesAndTheCache() {
    byte[] page = bench.data(nexus, "12 01 86 01 00 00");
    assertEquals(64, page.length);
    assertEquals(7, page[5]);
    assertEquals(1, page[6]);
    assertArrayEquals(FakeTask.hex("00870004 3fff0000"), bench.data(nexus, "12 01 87 01 00 00"));
  }
}

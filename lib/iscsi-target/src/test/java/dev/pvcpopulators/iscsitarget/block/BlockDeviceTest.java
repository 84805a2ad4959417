package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Tests the device's VPD pages, capacity and state.
class BlockDeviceTest {
  private static final int BLOCKS = 1024;
  private static final String LOAD = "1b 00 00 00 03 00";
  private static final String EJECT = "1b 00 00 00 02 00";
  private static final String START = "1b 00 00 00 01 00";
  private static final String STOP = "1b 00 00 00 00 00";
  private static final String PREVENT = "1e 00 00 00 01 00";
  private static final String ALLOW = "1e 00 00 00 00 00";
  private static final String READ = "28 00 00000000 00 0001 00";
  private static final int TEST_UNIT_READY = 0x00;

  private final ArrayMedium medium = new ArrayMedium(BLOCKS * 512);
  private final Device device = new Device(medium, BlockOptions.disk());
  private final Device removable = new Device(medium, new BlockOptions(false, true, true));
  private final Device readOnly = new Device(medium, new BlockOptions(true, false, true));

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void tellsItsCapacity() throws IOException {
    assertEquals("000003ff00000200", hex(device.run("25").good().dataIn()));
    String sixteen = "9e 10 0000000000000000 %08x 00 00";
    String all = "00000000000003ff00000200" + "0000" + "c000" + "00".repeat(16);
    for (int allocation : new int[] {0, 1, 8, 12, 31, 32, 33, 512, -1}) {
      String expected =
          all.substring(0, (int) Math.min(Integer.toUnsignedLong(allocation), 32) * 2);
      assertEquals(expected, hex(device.run(sixteen.formatted(allocation)).good().dataIn()));
    }
    // A read-only medium is not thin provisioned.
    assertEquals(
        all.replace("c000", "0000"), hex(readOnly.run(sixteen.formatted(32)).good().dataIn()));
  }

  @Test
  void tellsTheCapacityOfLargeDisks() throws IOException {
    assertEquals("fffffffe00000200", hex(large(0xFFFF_FFFFL).run("25").good().dataIn()));
    assertEquals("ffffffff00000200", hex(large(0x1_0000_0000L).run("25").good().dataIn()));
    assertEquals("ffffffff00000200", hex(large(0x1_0000_0001L).run("25").good().dataIn()));
    String data =
        hex(large(0x1_0000_0001L).run("9e 10 0000000000000000 0000000c 0000").good().dataIn());
    assertEquals("0000000100000000" + "00000200", data);
  }

  private static Device large(long blocks) {
    return new Device(new HugeMedium(blocks), BlockOptions.disk());
  }

  @Test
  void tellsItsLimits() {
    assertEquals(List.of(0xB0, 0xB1, 0xB2), device.device.pages());
    assertEquals(
        "00b0003c"
            + "00" // WSNZ
            + "80" // MAXIMUM COMPARE AND WRITE LENGTH
            + "0008"
            + "00010000" // MAXIMUM TRANSFER LENGTH
            + "00000800" // OPTIMAL TRANSFER LENGTH
            + "00000000"
            + "ffffffff" // MAXIMUM UNMAP LBA COUNT
            + "00000100" // MAXIMUM UNMAP BLOCK DESCRIPTOR COUNT
            + "00000008" // OPTIMAL UNMAP GRANULARITY
            + "80000000" // UGAVALID
            + "0000000000400000" // MAXIMUM WRITE SAME LENGTH
            + "00000100" // MAXIMUM ATOMIC TRANSFER LENGTH
            + "00000000" // ATOMIC ALIGNMENT
            + "00000000" // ATOMIC TRANSFER LENGTH GRANULARITY
            + "00000000"
            + "00000000",
        hex(device.device.page(0xB0)));
    assertEquals("00b1003c" + "00010050" + "00".repeat(56), hex(device.device.page(0xB1)));
    assertEquals("00b20004" + "00e40200", hex(device.device.page(0xB2)));
    // The VPD pages of a read-only medium do not report thin provisioning.
    assertEquals("00b20004" + "00000000", hex(readOnly.device.page(0xB2)));
    assertEquals("00".repeat(16), hex(readOnly.device.page(0xB0)).substring(2 * 20, 2 * 36));
    assertEquals("00b1003c" + "00010000", hex(readOnly.device.page(0xB1)).substring(0, 16));
  }

  @Test
  void hasNoDefects() throws IOException {
    assertEquals("00000000", hex(device.run("37 00 00 00000000 0020 00").good().dataIn()));
    assertEquals("001d0000", hex(device.run("37 00 1d 00000000 0020 00").good().dataIn()));
    assertEquals("001d", hex(device.run("37 00 1d 00000000 0002 00").good().dataIn()));
    assertEquals(
        "001d000000000000", hex(device.run("b7 1d 00000000 00000020 00 00").good().dataIn()));
    assertEquals("00", hex(device.run("b7 00 00000000 00000001 00 00").good().dataIn()));
  }

  @Test
  void listsItsCommandsOnceAndInFull() {
    List<CommandEntry> commands = device.device.commands();
    assertEquals(
        commands.size(),
        commands.stream().map(e -> e.opcode() + ":" + e.serviceAction()).distinct().count());
    for (CommandEntry entry : commands) {
      byte[] usage = entry.usageBytes();
      // The upper three bits of the operation code are the group code, which determines the length
      // of a CDB (SPC-4, section 4.2.5.1).
      int length =
          switch (entry.opcode() >> 5) {
            case 0 -> 6;
            case 1, 2 -> 10;
            case 4 -> 16;
            case 5 -> 12;
            default -> -1;
          };
      assertEquals(length, usage.length, entry.name());
      assertEquals(entry.opcode(), Byte.toUnsignedInt(usage[0]), entry.name());
      assertEquals(4, usage[usage.length - 1], entry.name() + ": NACA");
      if (entry.serviceAction() >= 0) {
        assertEquals(entry.serviceAction(), usage[1] & 0x1F, entry.name());
      }
    }
    assertUsage(0x18, 0x28, 0xA8, 0x88, 0x2A, 0xAA, 0x8A, 0x89, 0x8B, 0x9C);
    assertUsage(0x10, 0x2F, 0xAF, 0x8F, 0x2E, 0xAE, 0x8E);
  }

  private void assertUsage(int dpoAndFua, int... opcodes) {
    for (int opcode : opcodes) {
      CommandEntry entry = device.entry("%02x".formatted(opcode));
      assertEquals(dpoAndFua, entry.usageBytes()[1] & 0x18, entry.name());
    }
  }

  @Test
  void ejectsAndLoads() throws IOException {
    removable.run(EJECT).good();
    assertEquals(0x3A00, removable.device.notReady(TEST_UNIT_READY).orElseThrow().code());
    for (String cdb :
        new String[] {
          READ,
          "2a 00 00000000 00 0001 00",
          "25",
          "9e 10 0000000000000000 00000020 0000",
          "9e 12 0000000000000000 00000020 0000",
          "35 02 00000000 00 0001 00",
          "42 00 00000000 00 0018 00",
          "48 02 0000000000 0000 00",
        }) {
      removable.run(cdb, new byte[512]).check(2, 0x3A00);
    }
    for (int opcode : new int[] {0x03, 0x12, 0x1A, 0x5A, 0x15, 0xA0, 0xA3, 0x5E, 0x5F, 0x16}) {
      assertTrue(removable.device.notReady(opcode).isEmpty(), "opcode " + opcode);
    }
    removable.device.reset();
    removable.run(READ).check(2, 0x3A00);
    removable.run(LOAD).good();
    removable.run(READ).good();
  }

  @Test
  void doesNotEjectAFixedMedium() throws IOException {
    device.run(EJECT).invalidField(4);
    device.run(LOAD).invalidField(4);
    device.run(READ).good();
  }

  @Test
  void doesNotEjectForAPowerCondition() throws IOException {
    for (int condition = 1; condition < 16; condition++) {
      removable.run("1b 01 00 00 %x2 00".formatted(condition)).good();
      device.run("1b 01 00 00 %x0 00".formatted(condition)).good();
      removable.run(READ).good();
      device.run(READ).good();
    }
  }

  @Test
  void stopsAndStarts() throws IOException {
    device.run(STOP).good();
    assertEquals(1, medium.count("flush"));
    device.run(READ).check(2, 0x0402);
    assertEquals(0x0402, device.device.notReady(TEST_UNIT_READY).orElseThrow().code());
    device.run("25").good();
    device.run(START).good();
    device.run(READ).good();
    device.run("1b 00 00 00 04 00").good();
    assertEquals(1, medium.count("flush"));
    device.device.reset();
    device.run(READ).good();
    // A removable medium needs no START UNIT before a read.
    removable.run(STOP).good();
    removable.run(READ).good();
  }

  @Test
  void keepsTheMediumWhileRemovalIsPrevented() throws IOException {
    Nexus other = Device.nexus("iqn.2026-01.example:b");
    removable.run(PREVENT).good();
    removable.run(new FakeTask(other, Device.cdb(PREVENT), new byte[0], 0)).good();
    removable.run(EJECT).check(5, 0x5302);
    removable.run(ALLOW).good();
    removable.run(EJECT).check(5, 0x5302);
    removable.run(READ).good();
    removable.device.detach(other);
    removable.run(EJECT).good();
    removable.run(PREVENT).good();
    removable.run(LOAD).check(5, 0x5302);
    removable.device.reset();
    removable.run(LOAD).good();
    removable.run("1e 00 00 00 02 00").invalidField(4);
    removable.run("1e 00 00 00 03 00").invalidField(4);
  }

  @Test
  void showsTheSourceOfTheVolume() {
    assertEquals(BlockOptions.disk(), device.device.options());
    assertArrayEquals(medium.bytes(), ((ArrayMedium) device.device.medium()).bytes());
  }
}

package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.block.ArrayMedium.Call;
import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Tests WRITE SAME, UNMAP and GET LBA STATUS.
class ProvisioningTest {
  private static final int BLOCKS = 1024;

  private final ArrayMedium medium = new ArrayMedium(BLOCKS * 512);
  private final Device device = new Device(medium, BlockOptions.disk());

  private byte[] fillMedium() throws IOException {
    byte[] ones = new byte[BLOCKS * 512];
    Arrays.fill(ones, (byte) 1);
    device.run("2a 00 00000000 00 0400 00", ones).good();
    medium.calls.clear();
    return ones;
  }

  private static byte[] pattern() {
    byte[] block = new byte[512];
    new Random(3).nextBytes(block);
    return block;
  }

  @Test
  void repeatsABlock() throws IOException {
    byte[] expected = fillMedium();
    device.run("41 00 00000003 00 0100 00", pattern()).good();
    device.run("93 00 00000000000003ff 00000001 00 00", pattern()).good();
    for (int lba = 3; lba < 259; lba++) {
      System.arraycopy(pattern(), 0, expected, lba * 512, 512);
    }
    System.arraycopy(pattern(), 0, expected, 1023 * 512, 512);
    assertArrayEquals(expected, medium.bytes());
    // With the UNMAP bit, WRITE SAME ignores the content of the block that the initiator sends.
    device.run("93 08 0000000000000005 00000002 00 00", pattern()).good();
    Arrays.fill(expected, 5 * 512, 7 * 512, (byte) 0);
    assertArrayEquals(expected, medium.bytes());
    assertEquals(1, medium.count("deallocate"));
  }

  @Test
  void zeroesAndUnmaps() throws IOException {
    byte[] expected = fillMedium();
    device.run("41 00 00000000 00 0008 00", new byte[512]).good();
    device.run("41 08 00000010 00 0008 00", new byte[512]).good();
    device.run("93 08 0000000000000020 00000008 00 00", new byte[512]).good();
    // With the NDOB bit, the initiator sends no data.
    Device.Result result = device.run("93 01 0000000000000030 00000008 00 00").good();
    assertEquals(-1, result.task().declared());
    device.run("93 09 0000000000000040 00000008 00 00").good();
    // If the number of blocks is 0, the range extends to the end of the device.
    device.run("41 08 000003f0 00 0000 00", new byte[512]).good();
    assertEquals(
        List.of(
            new Call("zero", 0, 4096),
            new Call("deallocate", 0x2000, 4096),
            new Call("deallocate", 0x4000, 4096),
            new Call("zero", 0x6000, 4096),
            new Call("deallocate", 0x8000, 4096),
            new Call("deallocate", 0x3f0 * 512, 16 * 512)),
        medium.calls);
    for (int at : new int[] {0, 0x2000, 0x4000, 0x6000, 0x8000}) {
      Arrays.fill(expected, at, at + 4096, (byte) 0);
    }
    Arrays.fill(expected, 0x3f0 * 512, 0x400 * 512, (byte) 0);
    assertArrayEquals(expected, medium.bytes());
  }

  @Test
  void checksTheFieldsOfWriteSame() throws IOException {
    fillMedium();
    byte[] block = new byte[512];
    for (String flags : new String[] {"10", "18", "20", "e0", "02", "04"}) {
      device.run("41" + flags + "00000000 00 0001 00", block).invalidField(1);
      device.run("93" + flags + "0000000000000000 00000001 00 00", block).invalidField(1);
    }
    // Without NDOB, the initiator must send a whole block.
    device.run("41 08 00000000 00 0001 00").invalidField(7);
    device.run("93 08 0000000000000000 00000001 00 00", new byte[511]).invalidField(10);
    // In WRITE SAME(10), bit 0 of byte 1 is obsolete; it does not mean NDOB.
    device.run("41 09 00000000 00 0001 00").invalidField(7);
    device.run("41 00 00000400 00 0000 00", block).good();
    device.run("41 00 00000401 00 0000 00", block).outOfRange();
    device.run("41 00 ffffffff 00 0000 00", block).outOfRange();
    device.run("93 00 00000000000003ff 00000002 00 00", block).outOfRange();
    device.run("93 00 8000000000000000 00000000 00 00", block).outOfRange();
    device.run("93 00 0000000000000000 ffffffff 00 00", block).outOfRange();
    assertEquals(List.of(), medium.calls);
  }

  @Test
  void boundsWriteSame() throws IOException {
    Device huge = new Device(new HugeMedium(1L << 32), BlockOptions.disk());
    huge.run("93 01 0000000000000000 00400000 00 00").good();
    huge.run("93 01 0000000000000000 00400001 00 00").invalidField(10);
    huge.run("93 01 0000000000000000 00000000 00 00").invalidField(10);
    huge.run("41 00 00000000 00 0000 00", new byte[512]).invalidField(7);
    // The range from block FFC00000h to the end of the device has the maximum length of one WRITE
    // SAME.
    huge.run("93 01 00000000ffc00000 00000000 00 00").good();
    huge.run("93 01 00000000ffbfffff 00000000 00 00").invalidField(10);
  }

  @Test
  void endsALongWriteSameWhereItIsAborted() {
    FakeTask aborted = device.task("93 01 0000000000000000 00000400 00 00", new byte[0]);
    aborted.abort(false);
    assertThrows(TaskAbortedException.class, () -> device.run(aborted));
    assertEquals(0, medium.count("zero"));
  }

  private static byte[] list(int dataLength, int descriptorLength, long... descriptors) {
    ByteBuffer list = ByteBuffer.allocate(8 + descriptors.length * 8);
    list.putShort((short) dataLength).putShort((short) descriptorLength).putInt(0);
    for (int i = 0; i < descriptors.length; i += 2) {
      list.putLong(descriptors[i]).putInt((int) descriptors[i + 1]).putInt(0);
    }
    return list.array();
  }

  private static byte[] listOf(long... descriptors) {
    return list(6 + descriptors.length * 8, descriptors.length * 8, descriptors);
  }

  private Device.Result unmap(byte[] list) throws IOException {
    return device.run("42 00 00000000 00 %04x 00".formatted(list.length), list);
  }

  @Test
  void unmapsRanges() throws IOException {
    byte[] expected = fillMedium();
    unmap(listOf(0, 8, 16, 1, 1023, 1, 5, 0, 1024, 0)).good();
    Arrays.fill(expected, 0, 8 * 512, (byte) 0);
    Arrays.fill(expected, 16 * 512, 17 * 512, (byte) 0);
    Arrays.fill(expected, 1023 * 512, 1024 * 512, (byte) 0);
    assertArrayEquals(expected, medium.bytes());
    assertEquals(3, medium.count("deallocate"));
    unmap(listOf(0, 1024)).good();
    assertArrayEquals(new byte[BLOCKS * 512], medium.bytes());
  }

  @Test
  void unmapsNothingOfAListThatIsWrong() throws IOException {
    byte[] expected = fillMedium();
    unmap(listOf(0, 8, 1024, 1)).outOfRange();
    unmap(listOf(0, 8, 1025, 0)).outOfRange();
    unmap(listOf(0, 8, 1023, 2)).outOfRange();
    unmap(listOf(0, 8, 1, 0xFFFF_FFFFL)).outOfRange();
    unmap(listOf(0, 8, -1, 2)).outOfRange();
    unmap(listOf(0, 8, Long.MIN_VALUE, 0xFFFF_FFFFL)).outOfRange();
    unmap(listOf(0, 8, Long.MAX_VALUE, 1)).outOfRange();
    // The parameter list states a wrong length for its descriptors.
    unmap(list(22, 32, 0, 8)).check(5, 0x1A00);
    unmap(list(22, 0xFFFF, 0, 8)).check(5, 0x1A00);
    device.run("42 01 00000000 00 0018 00", listOf(0, 8)).invalidField(1);
    for (int length = 1; length < 8; length++) {
      device.run("42 00 00000000 00 %04x 00".formatted(length), listOf(0, 8)).check(5, 0x1A00);
    }
    // The initiator sends less data than the CDB states.
    device.run("42 00 00000000 00 0018 00", new byte[0]).check(5, 0x1A00);
    device.run("42 00 00000000 00 0018 00", Arrays.copyOf(listOf(0, 8), 23)).check(5, 0x1A00);
    assertArrayEquals(expected, medium.bytes());
  }

  @Test
  void unmapsNothingWhereNothingIsListed() throws IOException {
    fillMedium();
    device.run("42 00 00000000 00 0000 00").good();
    unmap(listOf()).good();
    unmap(listOf(0, 0)).good();
    // The device ignores an incomplete descriptor.
    unmap(Arrays.copyOf(list(21, 15, 0, 8), 23)).good();
    unmap(list(22, 0, 0, 8)).good();
    assertEquals(List.of(), medium.calls);
  }

  @Test
  void boundsTheNumberOfDescriptors() throws IOException {
    fillMedium();
    long[] most = new long[256 * 2];
    for (int i = 0; i < 256; i++) {
      most[2 * i] = 2L * i;
      most[2 * i + 1] = 1;
    }
    unmap(listOf(most)).good();
    assertEquals(256, medium.count("deallocate"));
    unmap(listOf(Arrays.copyOf(most, 257 * 2))).check(5, 0x2600);
    unmap(listOf(Arrays.copyOf(most, 4095 * 2))).check(5, 0x2600);
    assertEquals(256, medium.count("deallocate"));
    // A parameter list may contain more bytes after its descriptors.
    byte[] padded = Arrays.copyOf(listOf(4, 1), 65535);
    unmap(padded).good();
  }

  @Test
  void survivesMutatedLists() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 3000; i++) {
      byte[] list = listOf(0, 8, 100, 50, 1000, 24);
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        int at = random.nextInt(list.length);
        list[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : list[at] ^ 0x80);
      }
      int announced = random.nextInt(list.length + 8);
      int sent = random.nextInt(list.length + 1);
      String cdb = "42 00 00000000 00 %04x 00".formatted(announced);
      Device.Result result = device.run(cdb, Arrays.copyOf(list, sent));
      Status status = result.response().status();
      assertTrue(
          status == Status.GOOD || status == Status.CHECK_CONDITION, "seed " + seed + " " + i);
    }
  }

  private ByteBuffer status(long lba, int allocation) throws IOException {
    return device.run("9e 12 %016x %08x 00 00".formatted(lba, allocation)).good().data();
  }

  @Test
  void reportsMappedRanges() throws IOException {
    device.run("2a 00 00000010 00 0010 00", new byte[8192]).good();
    ByteBuffer data = status(0, 8 + 5 * 16);
    assertEquals(8 + 3 * 16, data.remaining());
    assertEquals(4 + 3 * 16, data.getInt(0));
    assertDescriptor(data, 0, 0, 0x10, 1);
    assertDescriptor(data, 1, 0x10, 0x10, 0);
    assertDescriptor(data, 2, 0x20, 0x3e0, 1);
    // The first descriptor starts exactly at the requested address.
    data = status(0x1f, 24);
    assertEquals(24, data.remaining());
    assertEquals(20, data.getInt(0));
    assertDescriptor(data, 0, 0x1f, 1, 0);
    assertDescriptor(status(0x3ff, 24), 0, 0x3ff, 1, 1);
  }

  private static void assertDescriptor(
      ByteBuffer data, int index, long lba, long count, int provisioning) {
    int at = 8 + index * 16;
    assertEquals(
        "%x+%x:%x".formatted(lba, count, provisioning),
        "%x+%x:%x".formatted(data.getLong(at), data.getInt(at + 8), data.get(at + 12)));
    assertEquals(0, data.getInt(at + 12) & 0xFF_FFFF);
  }

  @Test
  void keepsToTheAllocationLengthOfLbaStatus() throws IOException {
    device.run("2a 00 00000010 00 0010 00", new byte[8192]).good();
    for (int allocation : new int[] {0, 1, 7, 8, 23, 24, 39, 40, 56, 57, 0x7FFF_FFFF, -1}) {
      ByteBuffer data = status(0, allocation);
      long possible = Math.max(1, (Integer.toUnsignedLong(allocation) - 8) / 16);
      long all = 8 + 16 * Math.min(3, possible);
      assertEquals(Math.min(all, Integer.toUnsignedLong(allocation)), data.remaining());
      if (data.remaining() >= 4) {
        assertEquals(all - 4, data.getInt(0));
      }
    }
  }

  @Test
  void revealsNothingOutsideTheVolume() throws IOException {
    for (String lba :
        new String[] {"0000000000000400", "0000000000000401", "8000000000000000", "f".repeat(16)}) {
      device.run("9e 12" + lba + "00000018 00 00").outOfRange();
    }
  }

  @Test
  void boundsOneReport() throws IOException {
    for (int lba = 0; lba < BLOCKS; lba += 2) {
      device.run("0a %06x 01 00".formatted(lba), new byte[512]).good();
    }
    ByteBuffer data = status(0, -1);
    assertEquals(8 + 256 * 16, data.remaining());
    assertDescriptor(data, 255, 255, 1, 1);
  }

  @Test
  void splitsWhatNeedsMoreThan32Bits() throws IOException {
    Device huge = new Device(new HugeMedium(5L << 32), BlockOptions.disk());
    ByteBuffer data = huge.run("9e 12 0000000000000005 00000028 00 00").good().data();
    assertDescriptor(data, 0, 5, 0xFFFF_FFFFL, 1);
    assertDescriptor(data, 1, 5 + 0xFFFF_FFFFL, 0xFFFF_FFFFL, 1);
  }

  @Test
  void mapsAllOfWhatIsNotThin() throws IOException {
    Device full = new Device(medium, new BlockOptions(true, false, true));
    ByteBuffer data = full.run("9e 12 0000000000000005 00000400 00 00").good().data();
    assertEquals(24, data.remaining());
    assertDescriptor(data, 0, 5, BLOCKS - 5, 0);
  }

  @Test
  void countsBlocksThatAreMappedInPart() throws IOException {
    // The holes begin and end within blocks; no current file system has such holes.
    HugeMedium medium = new HugeMedium(64);
    medium.hole(1000, 3000);
    medium.hole(5 * 512 + 1, 5 * 512 + 100);
    Device partly = new Device(medium, BlockOptions.disk());
    ByteBuffer data = partly.run("9e 12 0000000000000000 00000400 00 00").good().data();
    assertEquals(8 + 3 * 16, data.remaining());
    assertDescriptor(data, 0, 0, 2, 0);
    assertDescriptor(data, 1, 2, 3, 1);
    assertDescriptor(data, 2, 5, 59, 0);
  }
}

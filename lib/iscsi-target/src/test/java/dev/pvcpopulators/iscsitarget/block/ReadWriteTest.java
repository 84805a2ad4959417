package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.block.ArrayMedium.Call;
import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReadWriteTest {
  private static final int BLOCKS = 1024;

  private final ArrayMedium medium = new ArrayMedium(BLOCKS * 512);
  private final Device device = new Device(medium, BlockOptions.disk());

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private byte[] stored(int lba, int count) {
    return Arrays.copyOfRange(medium.bytes(), lba * 512, (lba + count) * 512);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "08 000103 02 00",
        "28 00 00000103 00 0002 00",
        "a8 00 00000103 00000002 00 00",
        "88 00 0000000000000103 00000002 00 00",
      })
  void readsByEachForm(String cdb) throws IOException {
    System.arraycopy(random(BLOCKS * 512, 1), 0, medium.bytes(), 0, BLOCKS * 512);
    assertArrayEquals(stored(0x103, 2), device.run(cdb).good().dataIn());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0a 000103 02 00",
        "2a 00 00000103 00 0002 00",
        "aa 00 00000103 00000002 00 00",
        "8a 00 0000000000000103 00000002 00 00",
      })
  void writesByEachForm(String cdb) throws IOException {
    byte[] data = random(1024, 2);
    assertEquals(1024, device.run(cdb, data).good().task().received());
    byte[] expected = new byte[BLOCKS * 512];
    System.arraycopy(data, 0, expected, 0x103 * 512, 1024);
    assertArrayEquals(expected, medium.bytes());
    assertEquals(1, medium.count("write"));
    assertEquals(0, medium.count("flush"));
  }

  @Test
  void takesNoBlocksInReadSixFor256() throws IOException {
    assertEquals(256 * 512, device.run("08 000000 00 00").good().dataIn().length);
    device.run("0a 000000 00 00", random(256 * 512, 3)).good();
    assertArrayEquals(random(256 * 512, 3), stored(0, 256));
    // In READ(6), the upper three bits of byte 1 are not part of the address.
    device.run("08 e00000 01 00").good();
  }

  @ParameterizedTest
  @CsvSource({
    // LBA, blocks, in range
    "0000000000000000, 00000000, true",
    "00000000000003ff, 00000001, true",
    "00000000000003ff, 00000002, false",
    "0000000000000400, 00000000, true",
    "0000000000000400, 00000001, false",
    "0000000000000401, 00000000, false",
    "7fffffffffffffff, 00000001, false",
    "8000000000000000, 00000000, false",
    "ffffffffffffffff, 00000000, false",
    "ffffffffffffffff, 00000001, false",
    "fffffffffffffffe, 00010000, false",
  })
  void checksTheRange(String lba, String count, boolean inRange) throws IOException {
    for (String opcode : new String[] {"88", "8a"}) {
      Device.Result result = device.run(opcode + "00" + lba + count + "0000", new byte[512 * 1024]);
      if (inRange) {
        result.good();
      } else {
        result.outOfRange();
      }
    }
  }

  @Test
  void checksTheRangeOfShortForms() throws IOException {
    device.run("08 0003ff 01 00").good();
    device.run("08 0003ff 02 00").outOfRange();
    device.run("08 1fffff 01 00").outOfRange();
    device.run("28 00 00000400 00 0000 00").good();
    device.run("28 00 00000401 00 0000 00").outOfRange();
    device.run("28 00 ffffffff 00 0000 00").outOfRange();
    device.run("28 00 80000000 00 0001 00").outOfRange();
    device.run("a8 00 ffffffff ffffffff 00 00").invalidField(6);
    device.run("a8 00 ffffffff 00000001 00 00").outOfRange();
  }

  @Test
  void boundsTheTransferLength(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("disk");
    try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
      created.setLength(33 << 20);
    }
    try (Medium large = FileMedium.open(file, true)) {
      Device big = new Device(large, BlockOptions.disk());
      assertEquals(
          32 << 20, big.run("88 00 0000000000000000 00010000 00 00").good().dataIn().length);
      big.run("88 00 0000000000000000 00010001 00 00").invalidField(10);
      big.run("8a 00 0000000000000000 00010001 00 00").invalidField(10);
      big.run("88 00 0000000000000000 ffffffff 00 00").invalidField(10);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0x20, 0x40, 0x80, 0xE0})
  void refusesProtectionInformation(int protect) throws IOException {
    for (String cdb :
        new String[] {
          "28%02x 00000000 00 0001 00",
          "a8%02x 00000000 00000001 00 00",
          "88%02x 0000000000000000 00000001 00 00",
          "2a%02x 00000000 00 0001 00",
          "aa%02x 00000000 00000001 00 00",
          "8a%02x 0000000000000000 00000001 00 00",
        }) {
      device.run(cdb.formatted(protect), new byte[512]).invalidField(1);
    }
    assertEquals(0, medium.count("write"));
  }

  @Test
  void flushesForStableStorage() throws IOException {
    byte[] block = new byte[512];
    device.run("2a 10 00000000 00 0001 00", block).good();
    assertEquals(0, medium.count("flush"));
    device.run("2a 08 00000000 00 0001 00", block).good();
    assertEquals(1, medium.count("flush"));
    // A READ with FUA makes the data stable before it reads the data.
    device.run("28 08 00000000 00 0001 00").good();
    assertEquals(2, medium.count("flush"));
    device.device.writeCache(false);
    device.run("2a 00 00000000 00 0001 00", block).good();
    device.run("0a 000000 01 00", block).good();
    assertEquals(4, medium.count("flush"));
    device.device.reset();
    device.run("0a 000000 01 00", block).good();
    assertEquals(4, medium.count("flush"));
  }

  @Test
  void movesNoMoreThanTheInitiatorAnnounces() throws IOException {
    Arrays.fill(medium.bytes(), (byte) 1);
    String read = "28 00 00000000 00 0002 00";
    for (int room : new int[] {0, 200, 512, 1024, 10_000}) {
      FakeTask task = new FakeTask(device.nexus, Device.cdb(read), new byte[0], room);
      assertEquals(Math.min(room, 1024), device.run(task).good().dataIn().length);
      assertEquals(1024, task.declared());
    }
    String write = "2a 00 00000000 00 0002 00";
    for (int announced : new int[] {0, 1, 200, 512, 1000, 1024, 10_000}) {
      Arrays.fill(medium.bytes(), (byte) 1);
      Device.Result result = device.run(write, random(announced, 4)).good();
      int moved = Math.min(announced, 1024);
      assertEquals(moved, result.task().received());
      assertEquals(1024, result.task().declared());
      byte[] expected = new byte[2048];
      Arrays.fill(expected, (byte) 1);
      System.arraycopy(random(announced, 4), 0, expected, 0, moved);
      assertArrayEquals(expected, Arrays.copyOf(medium.bytes(), 2048));
    }
  }

  @Test
  void agreesWithAModel() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] model = new byte[BLOCKS * 512];
    for (int i = 0; i < 2000; i++) {
      int lba = random.nextInt(BLOCKS);
      int count = Math.min(random.nextInt(64), BLOCKS - lba);
      boolean write = random.nextBoolean();
      byte[] data = random(write ? count * 512 : 0, random.nextLong());
      int largest = 1 << random.nextInt(14);
      FakeTask task =
          device
              .task(cdb(write, random.nextInt(3), lba, count), data)
              .inPieces(most -> 1 + random.nextInt(largest));
      byte[] read = device.run(task).good().dataIn();
      if (write) {
        System.arraycopy(data, 0, model, lba * 512, data.length);
      } else {
        assertArrayEquals(
            Arrays.copyOfRange(model, lba * 512, (lba + count) * 512), read, "seed " + seed);
      }
    }
    assertArrayEquals(model, medium.bytes(), "seed " + seed);
  }

  private static String cdb(boolean write, int form, int lba, int count) {
    return switch (form) {
      case 0 -> "%s 00 %08x 00 %04x 00".formatted(write ? "2a" : "28", lba, count);
      case 1 -> "%s 00 %08x %08x 00 00".formatted(write ? "aa" : "a8", lba, count);
      default -> "%s 00 %016x %08x 00 00".formatted(write ? "8a" : "88", lba, count);
    };
  }

  @Test
  void writesWholePagesOutOfPieces() throws IOException {
    // The write starts at block 3, which is 5 blocks before a boundary of 4 KiB. Its data arrives
    // in pieces of 1000 bytes.
    byte[] data = random(29 * 512, 5);
    FakeTask task = device.task("2a 00 00000003 00 001d 00", data).inPieces(most -> 1000);
    device.run(task).good();
    assertArrayEquals(data, stored(3, 29));
    assertEquals(
        "[Call[what=write, offset=1536, length=2560],"
            + " Call[what=write, offset=4096, length=4096],"
            + " Call[what=write, offset=8192, length=4096],"
            + " Call[what=write, offset=12288, length=4096]]",
        medium.calls.toString());
  }

  @Test
  void writesLargePiecesWithoutCuttingThem() throws IOException {
    byte[] data = random(64 * 512, 6);
    FakeTask task = device.task("2a 00 00000000 00 0040 00", data).inPieces(most -> 16384);
    device.run(task).good();
    assertEquals(2, medium.count("write"));
    medium.calls.clear();
    // The first piece has 20,000 bytes: 4 pages of 4,096 bytes, and 3,616 bytes of the next page.
    // The device keeps an incomplete page until the next piece arrives.
    device.run(device.task("2a 00 00000000 00 0040 00", data).inPieces(most -> 20_000)).good();
    long end = 0;
    for (Call call : medium.calls) {
      assertEquals(end, call.offset());
      end += call.length();
      assertTrue(end % 4096 == 0, medium.calls.toString());
    }
    assertEquals(64 * 512, end);
    assertArrayEquals(data, stored(0, 64));
  }

  @Test
  void refusesWritesToProtectedUnits() throws IOException {
    Device protectedDevice = new Device(medium, new BlockOptions(true, false, true));
    medium.writable = false;
    Device readOnlyMedium = new Device(medium, BlockOptions.disk());
    device.device.softwareWriteProtect(true);
    assertTrue(protectedDevice.device.writeProtected());
    assertTrue(readOnlyMedium.device.writeProtected());
    assertTrue(device.device.writeProtected());
    String[] writes = {
      "0a 000000 01 00",
      "2a 00 00000000 00 0001 00",
      "aa 00 00000000 00000001 00 00",
      "8a 00 0000000000000000 00000001 00 00",
      "2e 02 00000000 00 0001 00",
      "ae 02 00000000 00000001 00 00",
      "8e 02 0000000000000000 00000001 00 00",
      "89 00 0000000000000000 000000 01 00 00",
      "8b 00 0000000000000000 00000001 00 00",
      "9c 00 0000000000000000 0000 0001 00 00",
      "41 00 00000000 00 0001 00",
      "41 08 00000000 00 0001 00",
      "93 00 0000000000000000 00000001 00 00",
      "42 00 00000000 00 0018 00",
      "48 02 0000000000 0000 00",
    };
    for (String write : writes) {
      protectedDevice.run(write, new byte[1024]).check(7, 0x2700);
      readOnlyMedium.run(write, new byte[1024]).check(7, 0x2700);
      device.run(write, new byte[1024]).check(7, 0x2702);
    }
    assertTrue(
        medium.calls.stream().noneMatch(call -> !call.what().equals("read")),
        medium.calls.toString());
    protectedDevice.run("28 00 00000000 00 0001 00").good();
    device.device.softwareWriteProtect(false);
    assertFalse(device.device.writeProtected());
    device.run(writes[0], new byte[512]).good();
  }

  @Test
  void waitsForTheMedium() {
    String read = "28 00 00000010 00 0020 00";
    String write = "2a 00 00000010 00 0020 00";
    assertNull(device.entry(read).command().arrival(ByteBuffer.wrap(Device.cdb(read))));
    medium.arrival = new CompletableFuture<>();
    medium.calls.clear();
    for (String cdb : new String[] {read, write}) {
      assertSame(
          medium.arrival, device.entry(cdb).command().arrival(ByteBuffer.wrap(Device.cdb(cdb))));
    }
    assertEquals(
        "[Call[what=READ, offset=8192, length=16384], Call[what=WRITE, offset=8192,"
            + " length=16384]]",
        medium.calls.toString());
    for (String cdb :
        new String[] {
          "28 00 000003ff 00 0002 00", "28 00 00000010 00 0000 00", "28 00 ffffffff 00 ffff 00"
        }) {
      assertNull(device.entry(cdb).command().arrival(ByteBuffer.wrap(Device.cdb(cdb))));
    }
  }

  @Test
  void returnsTheBriefCommands() {
    assertTrue(brief("28 00 00000000 00 0800 00"));
    assertFalse(brief("28 00 00000000 00 0801 00"));
    assertFalse(brief("28 08 00000000 00 0001 00"));
    assertTrue(brief("2a 00 00000000 00 0800 00"));
    assertFalse(brief("2a 08 00000000 00 0001 00"));
    assertTrue(brief("0a 000000 01 00"));
    assertFalse(brief("35 00 00000000 00 0000 00"));
    assertTrue(brief("25"));
    device.device.writeCache(false);
    assertFalse(brief("0a 000000 01 00"));
  }

  private boolean brief(String cdb) {
    return device.entry(cdb).command().brief(ByteBuffer.wrap(Device.cdb(cdb)));
  }

  @Test
  void propagatesExceptionsOfTheMedium() {
    medium.broken = new IOException("a bad sector");
    assertThrows(IOException.class, () -> device.run("28 00 00000000 00 0001 00"));
    assertThrows(IOException.class, () -> device.run("2a 00 00000000 00 0001 00", new byte[512]));
    assertThrows(IOException.class, () -> device.run("35 00 00000000 00 0000 00"));
  }

  @Test
  void saysNothingOfBlocksItHasNotRead() throws IOException {
    assertEquals("", HexFormat.of().formatHex(device.run("28 00 00000000 00 0000 00").dataIn()));
    assertEquals(0, medium.count("read"));
  }
}

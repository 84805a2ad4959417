package dev.pvcpopulators.diskimage.foreign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("tools")
class ForeignImageTest {
  @TempDir Path directory;
  private Path disk;
  private Path image;
  private Path converted;

  @BeforeEach
  void makeDisk() {
    disk = directory.resolve("disk.raw");
    image = directory.resolve("image");
    converted = directory.resolve("converted");
    Command.of("truncate", "-s", "20M").with(disk).bytes();
    Command.of("qemu-io", "-f", "raw", "-c", "write -P 1 0 70k", "-c")
        .with("write -P 2 9M 1M", "-c", "write -P 3 20479k 1k", disk)
        .bytes();
  }

  @ParameterizedTest
  @CsvSource({
    "VMDK, vmdk, subformat=monolithicSparse",
    "VMDK, vmdk, subformat=streamOptimized",
    "VDI, vdi, static=off",
    "VDI, vdi, static=on",
    "VHD, vpc, subformat=dynamic",
    "VHD, vpc, 'subformat=dynamic,force_size=on'",
    "VHD, vpc, subformat=fixed",
    "VHD, vpc, 'subformat=fixed,force_size=on'",
    "VHDX, vhdx, subformat=dynamic",
    "VHDX, vhdx, subformat=fixed"
  })
  void convertsAsQemuImgDoes(ImageFormat format, String driver, String options) throws IOException {
    create(driver, options);
    Path expected = directory.resolve("expected");
    Command.of("qemu-img", "convert", "-f", driver, "-O", "raw").with(image, expected).bytes();
    ForeignImage checked = ForeignImage.check(image, format);
    assertEquals(Files.size(expected), checked.virtualSize());
    QemuImg.find(QemuImg.Limits.DEFAULT).convert(checked, image, converted);
    Command.of("cmp").with(expected, converted).bytes();
    assertEquals(
        Arrays.toString(Command.of("stat", "-c", "%b").with(expected).bytes()),
        Arrays.toString(Command.of("stat", "-c", "%b").with(converted).bytes()));
  }

  @Test
  void refusesVmdkChildren() throws IOException {
    create("vmdk", "subformat=monolithicSparse");
    Path child = directory.resolve("child");
    Command.of("qemu-img", "create", "-q", "-f", "vmdk", "-F", "vmdk", "-b")
        .with(image, child)
        .bytes();
    assertRefused(child, ImageFormat.VMDK, "parent");
  }

  @ParameterizedTest
  @ValueSource(strings = {"monolithicFlat", "twoGbMaxExtentSparse", "twoGbMaxExtentFlat"})
  void refusesVmdksOfSeveralFiles(String subformat) {
    create("vmdk", "subformat=" + subformat);
    assertRefused(image, ImageFormat.VMDK, "not a sparse extent");
  }

  @Test
  void refusesAVmdkThatNamesAnotherFile() throws IOException {
    Files.writeString(
        image,
        """
        # Disk DescriptorFile
        version=1
        CID=12345678
        parentCID=ffffffff
        createType="monolithicFlat"
        RW 8 FLAT "/etc/passwd" 0
        """);
    assertRefused(image, ImageFormat.VMDK, "not a sparse extent");
  }

  @ParameterizedTest
  @CsvSource({
    "parentCID=ffffffff, parentCID=fffffffe, parent",
    "SPARSE, FLAT  , SPARSE",
    "'createType=\"monolithicSparse\"', 'createType=\"monolithicFlat\"  ', createType",
    "ddb.virtualHWVersion, parentFileNameHint  , parent",
    "ddb.adapterType = , RW 1 SPARSE \"x\" #, extents"
  })
  void refusesDescriptorsThatReferToOtherFiles(String old, String replacement, String reason)
      throws IOException {
    create("vmdk", "subformat=monolithicSparse");
    byte[] bytes = Files.readAllBytes(image);
    String text = new String(bytes, 512, 20 * 512, ISO_8859_1);
    assertTrue(text.contains(old), text);
    String patched = text.replace(old, replacement);
    byte[] region = Arrays.copyOf(patched.getBytes(ISO_8859_1), 20 * 512);
    System.arraycopy(region, 0, bytes, 512, region.length);
    Files.write(image, bytes);
    assertRefused(image, ImageFormat.VMDK, reason);
  }

  @Test
  void refusesAParentHintBehindTheEndOfTheDescriptor() throws IOException {
    create("vmdk", "subformat=monolithicSparse");
    patch(512 + 19 * 512, "parentFileNameHint=\"/etc/passwd\"".getBytes(ISO_8859_1));
    assertRefused(image, ImageFormat.VMDK, "parent");
  }

  @Test
  void refusesAVmdkWithoutCapacityOrWithTheDescriptorElsewhere() throws IOException {
    create("vmdk", "subformat=monolithicSparse");
    patch(12, new byte[8]);
    assertThrows(MalformedImageException.class, () -> ForeignImage.check(image, ImageFormat.VMDK));
    create("vmdk", "subformat=monolithicSparse");
    patch(28, new byte[] {2});
    assertRefused(image, ImageFormat.VMDK, "descriptor");
  }

  @Test
  void refusesAFooterThatContradictsTheHeader() throws IOException {
    create("vmdk", "subformat=monolithicSparse");
    byte[] header = Arrays.copyOf(Files.readAllBytes(image), 512);
    patch(56, new byte[] {-1, -1, -1, -1, -1, -1, -1, -1});
    long end = Files.size(image);
    patch(end + 512, header);
    patch(end + 1535, new byte[1]);
    assertTrue(ForeignImage.check(image, ImageFormat.VMDK).virtualSize() == 20 << 20);
    patch(end + 512 + 12, new byte[] {1});
    assertThrows(MalformedImageException.class, () -> ForeignImage.check(image, ImageFormat.VMDK));
  }

  @Test
  void refusesVdisWithParents() throws IOException {
    for (int type : new int[] {0, 3, 4}) {
      create("vdi", "static=off");
      patch(0x4c, new byte[] {(byte) type});
      assertRefused(image, ImageFormat.VDI, "type " + type);
    }
    for (int uuid : new int[] {0x1a8, 0x1b8, 0x1c7}) {
      create("vdi", "static=off");
      patch(uuid, new byte[] {1});
      assertRefused(image, ImageFormat.VDI, "parent");
    }
  }

  @Test
  void refusesDifferencingVhds() throws IOException {
    create("vpc", "subformat=dynamic");
    // If the disk type is 4 instead of 3, the sum of the footer's bytes increases by one. Therefore
    // the stored complement of the sum decreases by one.
    byte[] bytes = Files.readAllBytes(image);
    bytes[63] = 4;
    bytes[67]--;
    Files.write(image, bytes);
    assertRefused(image, ImageFormat.VHD, "parent");
    bytes[67]++;
    Files.write(image, bytes);
    assertThrows(MalformedImageException.class, () -> ForeignImage.check(image, ImageFormat.VHD));
  }

  @Test
  void refusesVhdxWithAParentOrALog() throws IOException {
    create("vhdx", "subformat=dynamic");
    // The file parameters are the first metadata item. Their flags follow the block size.
    long parameters = find(new byte[] {0x37, 0x67, (byte) 0xa1, (byte) 0xca});
    long region = parameters - 32;
    byte[] bytes = Files.readAllBytes(image);
    int offset = Byte.toUnsignedInt(bytes[(int) parameters + 18]) << 16;
    patch(region + offset + 4, new byte[] {2});
    assertRefused(image, ImageFormat.VHDX, "parent");
    create("vhdx", "subformat=dynamic");
    for (long header : new long[] {64 << 10, 128 << 10}) {
      byte[] whole =
          Arrays.copyOfRange(Files.readAllBytes(image), (int) header, (int) header + 4096);
      whole[48] = 1;
      Arrays.fill(whole, 4, 8, (byte) 0);
      CRC32C crc = new CRC32C();
      crc.update(whole);
      for (int i = 0; i < 4; i++) {
        whole[4 + i] = (byte) (crc.getValue() >> (8 * i));
      }
      patch(header, whole);
    }
    assertRefused(image, ImageFormat.VHDX, "log");
    patch(64 << 10, new byte[4096]);
    patch(128 << 10, new byte[4096]);
    assertThrows(MalformedImageException.class, () -> ForeignImage.check(image, ImageFormat.VHDX));
  }

  @ParameterizedTest
  @CsvSource({"VMDK, vmdk", "VDI, vdi", "VHD, vpc", "VHDX, vhdx"})
  void survivesCutsAndMutations(ImageFormat format, String driver) throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    create(driver, driver.equals("vdi") ? "static=off" : "log_size=1M");
    byte[] good = Arrays.copyOf(Files.readAllBytes(image), 3 << 20);
    for (int i = 0; i < 200; i++) {
      byte[] bad = i % 4 == 0 ? Arrays.copyOf(good, random.nextInt(1 << 20)) : good.clone();
      for (int j = 0; j < 3 && bad.length > 2048; j++) {
        bad[random.nextInt(2048)] = (byte) random.nextInt();
      }
      Files.write(image, bad);
      try {
        assertTrue(ForeignImage.check(image, format).virtualSize() >= 0);
      } catch (MalformedImageException | UnsupportedFeatureException e) {
        assertTrue(e.getMessage() != null);
      }
    }
  }

  @Test
  void reportsErrorsOfQemuImg() throws IOException {
    create("vdi", "static=off");
    ForeignImage checked = ForeignImage.check(image, ImageFormat.VDI);
    patch(0x178, new byte[] {0, 0, 0x20, 0});
    MalformedImageException e =
        assertThrows(
            MalformedImageException.class,
            () -> QemuImg.find(QemuImg.Limits.DEFAULT).convert(checked, image, converted));
    assertTrue(String.valueOf(e.getMessage()).contains("qemu-img"), e.getMessage());
  }

  @Test
  void readsTheErrorsOfQemuImgToTheirEnd() throws IOException {
    create("vdi", "static=off");
    ForeignImage checked = ForeignImage.check(image, ImageFormat.VDI);
    QemuImg verbose = new QemuImg(CommandScript.verbose(directory), QemuImg.Limits.DEFAULT);
    MalformedImageException e =
        assertThrows(
            MalformedImageException.class, () -> verbose.convert(checked, image, converted));
    assertTrue(String.valueOf(e.getMessage()).contains("first words"), e.getMessage());
  }

  @Test
  void endsQemuImgAtItsLimits() throws IOException {
    create("vdi", "static=off");
    ForeignImage checked = ForeignImage.check(image, ImageFormat.VDI);
    ForeignImage smaller = new ForeignImage(ImageFormat.VDI, 1 << 20);
    QemuImg program = QemuImg.find(QemuImg.Limits.DEFAULT);
    assertThrows(IOException.class, () -> program.convert(smaller, image, converted));
    assertTrue(!Files.exists(converted) || Files.size(converted) <= 2 << 20);
    QemuImg little =
        QemuImg.find(new QemuImg.Limits(Duration.ofHours(1), Duration.ofHours(1), 8 << 20));
    assertThrows(IOException.class, () -> little.convert(checked, image, converted));
    QemuImg hasty =
        new QemuImg(
            CommandScript.endless(directory),
            new QemuImg.Limits(Duration.ofHours(1), Duration.ofMillis(200), 1L << 30));
    assertThrows(UnsupportedFeatureException.class, () -> hasty.convert(checked, image, converted));
  }

  @Test
  void endsQemuImgWhenInterrupted() throws IOException {
    create("vdi", "static=off");
    ForeignImage checked = ForeignImage.check(image, ImageFormat.VDI);
    QemuImg endless = new QemuImg(CommandScript.endless(directory), QemuImg.Limits.DEFAULT);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, () -> endless.convert(checked, image, converted));
    assertTrue(Thread.interrupted());
  }

  @Test
  void saysWhenTheVolumeIsFull() throws IOException {
    ExceedsVolumeException e =
        assertInstanceOf(ExceedsVolumeException.class, failureOn("size=512k"));
    assertTrue(e.full());
    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains(e.available() + " bytes are left"), message);
  }

  @Test
  void aFailedVolumeIsNoFaultOfTheImage() throws IOException {
    IOException e = failureOn("ro");
    assertFalse(e instanceof MalformedImageException, e.toString());
    assertTrue(e.toString().contains("Read-only file system"), e.toString());
  }

  /// Converts an image into a tmpfs with the given mount options. The conversion must fail.
  ///
  /// @return the exception of the conversion
  private IOException failureOn(String options) throws IOException {
    create("vdi", "static=off");
    ForeignImage checked = ForeignImage.check(image, ImageFormat.VDI);
    Path mounted = Files.createDirectory(directory.resolve("mounted"));
    Command.of("mount", "-t", "tmpfs", "-o", options, "tmpfs").with(mounted).bytes();
    try {
      return assertThrows(
          IOException.class,
          () ->
              QemuImg.find(QemuImg.Limits.DEFAULT)
                  .convert(checked, image, mounted.resolve("disk.img")));
    } finally {
      Command.of("umount").with(mounted).bytes();
    }
  }

  private void create(String driver, String options) {
    Command convert = Command.of("qemu-img", "convert", "-f", "raw", "-O", driver);
    boolean plain = options.startsWith("log_size") && !driver.equals("vhdx");
    (plain ? convert : convert.with("-o", options)).with(disk, image).bytes();
  }

  private void patch(long offset, byte[] bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.seek(offset);
      file.write(bytes);
    }
  }

  private long find(byte[] needle) throws IOException {
    byte[] bytes = Files.readAllBytes(image);
    for (int i = 0; i < bytes.length - needle.length; i++) {
      if (Arrays.equals(bytes, i, i + needle.length, needle, 0, needle.length)) {
        return i;
      }
    }
    throw new AssertionError("not found");
  }

  private static void assertRefused(Path image, ImageFormat format, String reason) {
    UnsupportedFeatureException e =
        assertThrows(UnsupportedFeatureException.class, () -> ForeignImage.check(image, format));
    assertTrue(String.valueOf(e.getMessage()).contains(reason), e.getMessage());
    assertFalse(String.valueOf(e.getMessage()).contains("passwd"));
  }
}

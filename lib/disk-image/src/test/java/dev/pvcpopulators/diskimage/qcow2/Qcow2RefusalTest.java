package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Tests the reader's refusals and limits. Each refused image has only one reason to be refused.
class Qcow2RefusalTest {
  private static final int CLUSTER = ImageBytes.CLUSTER;
  private static final int L1 = ImageBytes.L1;
  private static final int L2 = ImageBytes.L2;
  private static final int SECOND_L2 = ImageBytes.SECOND_L2;
  private static final int DATA = ImageBytes.DATA;
  private static final int PACKED = ImageBytes.PACKED;
  private static final int FEATURES = 72;

  @TempDir private Path directory = Path.of("");

  private record Case(
      String name,
      Class<? extends IOException> type,
      String message,
      UnaryOperator<ImageBytes> change) {}

  private static Case malformed(String name, String message, UnaryOperator<ImageBytes> change) {
    return new Case(name, MalformedImageException.class, message, change);
  }

  private static Case unsupported(String name, String message, UnaryOperator<ImageBytes> change) {
    return new Case(name, UnsupportedFeatureException.class, message, change);
  }

  private static Stream<Case> features() {
    return Stream.of(
        unsupported(
            "backing file",
            "qemu-img convert",
            i -> i.putLong(8, 512).putInt(16, 11).put(512, ascii("/etc/passwd"))),
        unsupported("backing file without a name", "backing file", i -> i.putLong(8, 512)),
        unsupported("external data file", "external data file", i -> i.putLong(FEATURES, 4)),
        unsupported("AES", "AES", i -> i.putInt(32, 1)),
        unsupported("LUKS", "LUKS", i -> i.putInt(32, 2)),
        unsupported("unknown encryption", "unknown method 3", i -> i.putInt(32, 3)),
        unsupported(
            "encryption header",
            "encryption header",
            i -> i.putInt(104, 0x0537be77).putInt(108, 16)),
        unsupported("unknown feature", "bit 5", i -> i.putLong(FEATURES, 1 << 5)),
        unsupported("last unknown feature", "bit 63", i -> i.putLong(FEATURES, 1L << 63)),
        unsupported(
            "unknown feature with a name",
            "bit 7 (\"su.per\")",
            i ->
                i.putLong(FEATURES, 1 << 7)
                    .putInt(104, 0x6803f857)
                    .putInt(108, 48)
                    .put(112, new byte[] {0, 7, 's', 'u', '\n', 'p', 'e', 'r'})),
        unsupported("compression type 2", "found 2", i -> compression(i, 2).putLong(FEATURES, 8)),
        unsupported("version 1", "qcow (version 1)", i -> i.putInt(4, 1)),
        unsupported("version 4", "found 4", i -> i.putInt(4, 4)));
  }

  private static Stream<Case> header() {
    return Stream.of(
        malformed("magic", "magic", i -> i.putInt(0, 0x514649fa)),
        malformed("empty source", "at byte 0: the source ends", i -> i.resize(0)),
        malformed("cut in the header", "at byte 103", i -> i.resize(103)),
        malformed("corrupt", "qemu-img check", i -> i.putLong(FEATURES, 2)),
        malformed("zstd without its bit", "contradicts", i -> compression(i, 1)),
        malformed(
            "compression bit with zlib",
            "contradicts",
            i -> compression(i, 0).putLong(FEATURES, 8)),
        malformed("cluster_bits 8", "found 8", i -> i.putInt(20, 8)),
        malformed("cluster_bits 22", "found 22", i -> i.putInt(20, 22)),
        malformed("cluster_bits 2^31", "found 2147483648", i -> i.putInt(20, 1 << 31)),
        malformed(
            "extended L2 entries in 4 KiB clusters", "at least 14", i -> i.putLong(FEATURES, 16)),
        malformed("refcount_order 7", "found 7", i -> i.putInt(96, 7)),
        malformed("refcount_order -1", "found 4294967295", i -> i.putInt(96, -1)),
        malformed("header_length 96", "found 96", i -> i.putInt(100, 96)),
        malformed("header_length 108", "found 108", i -> i.putInt(100, 108)),
        malformed("header_length past the cluster", "found 4104", i -> i.putInt(100, CLUSTER + 8)),
        malformed("header_length 2^31", "found 2147483648", i -> i.putInt(100, 1 << 31)),
        malformed("negative size", "2^63-1", i -> i.putLong(24, 1L << 63)),
        malformed("L1 too small", "at least 2 entries, found 1", i -> i.putInt(36, 1)),
        malformed("L1 too long", "32 MiB", i -> i.putInt(36, (4 << 20) + 1)),
        malformed("L1 of 2^31 entries", "32 MiB", i -> i.putInt(36, 1 << 31)),
        malformed("L1 unaligned", "found offset 12800", i -> i.putLong(40, L1 + 512)),
        malformed("L1 far away", "found offset 1125899906842624", i -> i.putLong(40, 1L << 50)),
        malformed("L1 negative", "found offset", i -> i.putLong(40, 1L << 63)),
        malformed("L1 on the header", "overlaps the header", i -> i.putLong(40, 0)),
        malformed("L1 past the end", "L1 table at byte 61440", i -> i.putLong(40, 15 * CLUSTER)),
        malformed("refcount table too long", "8 MiB", i -> i.putInt(56, 2049)),
        malformed("refcount table unaligned", "found offset 4097", i -> i.putLong(48, CLUSTER + 1)),
        malformed(
            "refcount table on the header", "refcount table at byte 0", i -> i.putLong(48, 0)),
        malformed(
            "refcount table on the L1 table",
            "refcount table at byte 12288",
            i -> i.putLong(48, L1)),
        malformed(
            "extension past the cluster", "at most 3984", i -> i.putInt(104, 1).putInt(108, 3985)),
        malformed(
            "extension of 2^31 bytes",
            "found 2147483648",
            i -> i.putInt(104, 1).putInt(108, 1 << 31)));
  }

  private static Stream<Case> tables() {
    return Stream.of(
        malformed(
            "L1 entry, low reserved bit",
            "L1 table entry at byte 12296: reserved",
            i -> i.putLong(L1 + 8, SECOND_L2 | 256)),
        malformed(
            "L1 entry, high reserved bit",
            "reserved bits",
            i -> i.putLong(L1 + 8, SECOND_L2 | 1L << 56)),
        malformed(
            "L2 table unaligned", "not at a cluster", i -> i.putLong(L1 + 8, SECOND_L2 + 512)),
        malformed("L2 table beyond 1 PiB", "beyond 1 PiB", i -> i.putLong(L1 + 8, 1L << 50)),
        malformed(
            "L2 table past the end",
            "L2 table at byte 61440",
            i -> i.putLong(L1 + 8, 15 * CLUSTER)),
        malformed("L2 table twice", "L2 table at byte 16384", i -> i.putLong(L1 + 8, L2)),
        malformed("L2 table on the L1 table", "L2 table at byte 12288", i -> i.putLong(L1, L1)),
        malformed(
            "L2 entry, low reserved bit",
            "L2 table entry at byte 16384: reserved",
            i -> i.putLong(L2, DATA | 2)),
        malformed(
            "L2 entry, high reserved bit", "reserved bits", i -> i.putLong(L2, DATA | 1L << 61)),
        malformed(
            "zero flag in version 2",
            "zero flag",
            i -> i.putInt(4, 2).putInt(FEATURES, 0).putLong(L2, DATA | 1)),
        malformed("data unaligned", "not at a cluster", i -> i.putLong(L2, DATA + 512)),
        malformed("data beyond 1 PiB", "beyond 1 PiB", i -> i.putLong(L2, 1L << 50)),
        malformed(
            "data past the end", "data cluster at byte 61440", i -> i.putLong(L2, 15 * CLUSTER)),
        malformed("data on the L1 table", "data cluster at byte 12288", i -> i.putLong(L2, L1)),
        malformed("data on its L2 table", "data cluster at byte 16384", i -> i.putLong(L2, L2)),
        malformed(
            "data on the next L2 table",
            "data cluster at byte 20480",
            i -> i.putLong(L2, SECOND_L2)),
        malformed(
            "data twice in a table", "data cluster at byte 24576", i -> i.putLong(L2 + 32, DATA)),
        malformed(
            "data twice in two tables",
            "data cluster at byte 24576",
            i -> i.putLong(SECOND_L2 + 32, DATA)),
        malformed(
            "zero cluster twice",
            "data cluster at byte 24576",
            i -> i.putLong(L2, DATA | 1).putLong(L2 + 32, DATA)),
        malformed(
            "data on compressed",
            "data cluster at byte 57344",
            i -> i.putLong(SECOND_L2 + 32, PACKED)),
        malformed(
            "compressed on data",
            "compressed cluster at byte 24584: the host cluster at byte 24576",
            i -> i.putLong(SECOND_L2 + 32, ImageBytes.extent(DATA + 8, 20))),
        malformed(
            "compressed on compressed",
            "overlaps",
            i -> i.putLong(SECOND_L2 + 32, i.getLong(L2 + 64))),
        malformed(
            "compressed into what follows",
            "compressed cluster at byte 57344: the host cluster at byte 61440",
            Qcow2RefusalTest::compressedIntoData),
        malformed(
            "compressed past the end",
            "compressed cluster at byte 61440",
            i -> i.putLong(L2 + 64, ImageBytes.extent(15 * CLUSTER, 20))),
        malformed(
            "compressed beyond 1 PiB",
            "beyond 1 PiB",
            i -> i.putLong(L2 + 64, ImageBytes.extent(1L << 50, 20))),
        malformed(
            "compressed garbage",
            "compressed cluster at byte 57344",
            i -> i.put(PACKED, new byte[] {-1, -1, -1})),
        malformed(
            "compressed too short",
            "the deflate stream ends",
            i -> i.put(PACKED, ImageBytes.deflate("x".repeat(CLUSTER - 1)))),
        malformed(
            "compressed too long",
            "more than 4096",
            i -> i.put(PACKED, ImageBytes.deflate("x".repeat(CLUSTER + 1)))),
        malformed("cut in the L1 table", "L1 table", i -> i.resize(L1 + 15)),
        malformed("cut in an L2 table", "L2 table", i -> i.resize(L2 + CLUSTER - 1)),
        malformed("cut in data", "cluster at byte", i -> i.resize(DATA + 5 * CLUSTER - 1)),
        malformed("cut in compressed data", "compressed cluster", i -> i.resize(PACKED + 20)));
  }

  @TestFactory
  Stream<DynamicTest> refuses() {
    return Stream.of(features(), header(), tables())
        .flatMap(cases -> cases)
        .map(one -> dynamicTest(one.name(), () -> refuses(one)));
  }

  private void refuses(Case one) throws IOException {
    byte[] image = one.change().apply(new ImageBytes()).toArray();
    for (OptionalLong length : List.of(OptionalLong.of(image.length), OptionalLong.empty())) {
      IOException thrown = assertThrows(one.type(), () -> decode(image, length));
      assertTrue(String.valueOf(thrown.getMessage()).contains(one.message()), thrown::toString);
    }
  }

  @Test
  @Tag("tools")
  void acceptsTheImageThatTheCasesBreak() throws Exception {
    requireLikeQemu(new ImageBytes());
  }

  @TestFactory
  @Tag("tools")
  Stream<DynamicTest> accepts() {
    return Stream.of(
            new Case("dirty", IOException.class, "", i -> i.putLong(FEATURES, 1)),
            new Case(
                "unknown compatible and autoclear features",
                IOException.class,
                "",
                i -> i.putLong(80, -1).putLong(88, -1L << 8)),
            new Case(
                "unknown extension up to the last byte",
                IOException.class,
                "",
                i -> i.putInt(104, 0x12345678).putInt(108, 3984)),
            new Case("refcount_order 6", IOException.class, "", i -> i.putInt(96, 6)),
            new Case("version 2", IOException.class, "", i -> i.putInt(4, 2)),
            new Case(
                "size of no whole sector",
                IOException.class,
                "",
                i -> i.putLong(24, ImageBytes.SIZE - 1)),
            new Case(
                "L1 table with VM state",
                IOException.class,
                "",
                i -> i.putInt(36, 4).putLong(L1 + 16, -1)),
            new Case(
                "L1 table of 32 MiB at the end",
                IOException.class,
                "",
                Qcow2RefusalTest::longestL1),
            new Case(
                "copied flags",
                IOException.class,
                "",
                i -> i.putLong(L1, L2 | 1L << 63).putLong(L2, DATA | 1L << 63)),
            new Case(
                "zero cluster with a host cluster",
                IOException.class,
                "",
                i -> i.putLong(L2, DATA | 1)),
            new Case("zero cluster without one", IOException.class, "", i -> i.putLong(L2, 1)),
            new Case(
                "entries past the end of the disk",
                IOException.class,
                "",
                i -> i.putLong(24, ImageBytes.SIZE - 2 * CLUSTER).putLong(SECOND_L2 + 8 * 510, -1)),
            new Case(
                "cut behind the last guest byte",
                IOException.class,
                "",
                Qcow2RefusalTest::endsWithTheGuest),
            new Case("bytes behind the image", IOException.class, "", i -> i.resize(3_000_000)))
        .map(one ->
            dynamicTest(one.name(), () -> requireLikeQemu(one.change().apply(new ImageBytes()))));
  }

  @Test
  void leavesTheSizeToTheSink() {
    byte[] image = new ImageBytes().toArray();
    assertThrows(
        ExceedsVolumeException.class,
        () -> decode(image, OptionalLong.empty(), ImageBytes.SIZE - 1));
  }

  /// The maximum length of an image file is 16 GiB plus 16 times the size of the disk. The limit
  /// stops a source of endless zeros.
  @Test
  void refusesAFileThatIsLongerThanAnyOfItsDisk() throws IOException {
    byte[] image = new ImageBytes().toArray();
    long longest = (16L << 30) + 16 * ImageBytes.SIZE;
    decode(image, OptionalLong.of(longest));
    UnsupportedFeatureException thrown =
        assertThrows(
            UnsupportedFeatureException.class, () -> decode(image, OptionalLong.of(longest + 1)));
    assertTrue(String.valueOf(thrown.getMessage()).contains("longer than " + longest));
  }

  @Test
  void refusesImagesTooFragmentedForTheBitmaps() {
    Qcow2Limits limits = new Qcow2Limits(0, 1 << 10, 1000, 1);
    assertThrows(
        UnsupportedFeatureException.class,
        () -> decode(new ImageBytes().toArray(), OptionalLong.empty(), ImageBytes.SIZE, limits));
  }

  private void requireLikeQemu(ImageBytes image) throws Exception {
    Path qcow2 = directory.resolve("image.qcow2");
    Files.write(qcow2, image.toArray());
    Path expected = directory.resolve("expected.raw");
    Qemu.img("convert", "-f", "qcow2", "-O", "raw", qcow2, expected).ok();
    for (OptionalLong length : List.of(OptionalLong.of(image.length()), OptionalLong.empty())) {
      decode(image.toArray(), length);
      assertEquals(-1, Files.mismatch(expected, directory.resolve("disk.raw")));
    }
  }

  private void decode(byte[] image, OptionalLong length) throws IOException {
    decode(image, length, ImageBytes.SIZE);
  }

  private void decode(byte[] image, OptionalLong length, long capacity) throws IOException {
    decode(image, length, capacity, Qcow2Limits.defaults());
  }

  private void decode(byte[] image, OptionalLong length, long capacity, Qcow2Limits limits)
      throws IOException {
    try (RawFile sink = new RawFile(directory.resolve("disk.raw"), capacity)) {
      new Qcow2Reader(limits).decode(new ByteArrayInputStream(image), length, sink);
    }
  }

  private static ImageBytes compression(ImageBytes image, int type) {
    return image.putInt(100, 112).putInt(104, type << 24);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Makes the first compressed extent so long that its end is in the next cluster, which contains
  /// guest data.
  private static ImageBytes compressedIntoData(ImageBytes image) {
    byte[] stored = new byte[5 + CLUSTER];
    stored[0] = 1;
    stored[2] = CLUSTER >> 8;
    stored[3] = (byte) 0xff;
    stored[4] = (byte) ~(CLUSTER >> 8);
    return image
        .resize(17 * CLUSTER)
        .put(PACKED, stored)
        .putLong(L2 + 64, ImageBytes.extent(PACKED, stored.length))
        .putLong(L2 + 72, 0)
        .putLong(L2 + 80, 0)
        .putLong(SECOND_L2 + 32, 15 * CLUSTER);
  }

  private static ImageBytes longestL1(ImageBytes image) {
    int end = 15 * CLUSTER;
    return image
        .resize(end + (32 << 20))
        .putInt(36, 4 << 20)
        .putLong(40, end)
        .putLong(end, L2)
        .putLong(end + 8, SECOND_L2);
  }

  /// Shortens the disk and extends the file, so that each of them ends after the first sector of
  /// its last cluster.
  private static ImageBytes endsWithTheGuest(ImageBytes image) {
    return image
        .putLong(24, ImageBytes.SIZE - CLUSTER + 512)
        .putLong(SECOND_L2 + 8 * 511, 15 * CLUSTER)
        .resize(15 * CLUSTER + 512)
        .put(15 * CLUSTER, ascii("the end"));
  }
}

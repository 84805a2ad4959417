package dev.pvcpopulators.it.upload;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks that the service refuses images that name other files, need secrets, or contain
/// contradictions. The service states the reason.
@Tag("tools")
final class RefusedImagesTest {
  private static final String SECRET_FILE = "/etc/passwd";
  private static final Seed SEED = Seed.of("RefusedImagesTest");

  private static Path work;
  private static VolumeDirectory volume;
  private static Service service;
  private static Qcow2Bytes small;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    volume = VolumeDirectory.in(directory, "volume");
    service = Launch.on(volume.path()).start();
    Path image = directory.resolve("small.qcow2");
    QemuImg.create(image, "qcow2", "cluster_size=4k", "16M");
    Path content = QemuIo.incompressible(directory.resolve("content"), SEED.random());
    QemuIo.run(image, "qcow2", List.of("write -q -s " + content + " 0 256k"));
    small = new Qcow2Bytes(Files.readAllBytes(image));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void leavesNothing() throws IOException {
    volume.assertEmpty();
  }

  @Test
  void backingFile() throws IOException, InterruptedException {
    Path image = work.resolve("backed.qcow2");
    QemuImg.run("create", "-q", "-f", "qcow2", "-b", SECRET_FILE, "-F", "raw", image.toString());
    assertRefused(image, "backing");
  }

  @Test
  void externalDataFile() throws IOException, InterruptedException {
    Path image = work.resolve("external.qcow2");
    Path data = work.resolve("external.raw");
    QemuImg.create(image, "qcow2", "data_file=" + data + ",data_file_raw=on", "1M");
    Files.write(data, new byte[1 << 20]);
    assertRefused(image, "data file");
  }

  @Test
  @Tag("nightly")
  void luks() throws IOException, InterruptedException {
    Path image = work.resolve("luks.qcow2");
    List<String> command =
        List.of(
            "qemu-img",
            "create",
            "-q",
            "--object",
            "secret,id=key,data=secret",
            "-f",
            "qcow2",
            "-o",
            "encrypt.format=luks,encrypt.key-secret=key,encrypt.iter-time=10",
            image.toString(),
            "1M");
    // qemu-img measures the speed of the processor. If the clock does not advance during the
    // measurement, qemu-img fails. Then the test tries again.
    Command.Ran made = Command.tried(command);
    for (int i = 0; i < 50 && made.err().contains("Unable to get accurate CPU usage"); i++) {
      made = Command.tried(command);
    }
    made.ok();
    assertRefused(image, "encrypt");
  }

  @Test
  void oldEncryption() throws IOException, InterruptedException {
    assertRefused(small.with(Qcow2Bytes.CRYPT_METHOD, 1), "encrypt");
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 10, 31, 32, 63})
  void unknownIncompatibleFeature(int bit) throws IOException, InterruptedException {
    assertRefused(small.withLong(Qcow2Bytes.INCOMPATIBLE_FEATURES, 1L << bit), "feature");
  }

  @Test
  void unknownCompression() throws IOException, InterruptedException {
    // Bit 3: the compression type is not zlib.
    assertRefused(
        small
            .withLong(Qcow2Bytes.INCOMPATIBLE_FEATURES, 1L << 3)
            .with(Qcow2Bytes.COMPRESSION_TYPE, 7 << 24),
        "compression");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 5, 6, 0x7fff_ffff, -1})
  void otherVersions(int version) throws IOException, InterruptedException {
    assertRefused(small.with(4, version), "version");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 22, 31, 63, 64, -1})
  void clusterSizeOutOfRange(int clusterBits) throws IOException, InterruptedException {
    assertRefused(small.with(Qcow2Bytes.CLUSTER_BITS, clusterBits), "cluster");
  }

  @Test
  void l1TableTooLarge() throws IOException, InterruptedException {
    assertRefused(small.with(Qcow2Bytes.L1_SIZE, 0x7fff_ffff), "L1");
    assertRefused(small.with(Qcow2Bytes.L1_SIZE, -1), "L1");
  }

  @Test
  void l1TableTooSmallForTheVirtualSize() throws IOException, InterruptedException {
    assertRefused(small.withLong(Qcow2Bytes.SIZE, 64L << 20), "L1");
  }

  @Test
  void virtualSizeBeyondEveryVolume() throws IOException, InterruptedException {
    for (long size : new long[] {1L << 62, Long.MIN_VALUE, -1, Long.MAX_VALUE}) {
      assertRefused(small.withLong(Qcow2Bytes.SIZE, size), "");
    }
  }

  @Test
  void headerLengthOutOfRange() throws IOException, InterruptedException {
    for (int length : new int[] {0, 71, 103, 105, 1 << 20, -1}) {
      assertRefused(small.with(Qcow2Bytes.HEADER_LENGTH, length), "header");
    }
  }

  @Test
  void offsetsOutsideTheFile() throws IOException, InterruptedException {
    long beyond = 1L << 40;
    assertRefused(small.withLong(Qcow2Bytes.L1_TABLE_OFFSET, beyond), "L1");
    assertRefused(small.withLong(small.firstL1Entry(), beyond), "L2");
    long l2 = small.l2Table(small.firstL1Entry());
    assertRefused(small.withLong(small.firstL2Entry(l2), beyond), "cluster");
  }

  @Test
  void offsetsThatAreNotAligned() throws IOException, InterruptedException {
    assertRefused(small.withLong(Qcow2Bytes.L1_TABLE_OFFSET, small.l1Table() + 512), "L1");
    long l1Entry = small.firstL1Entry();
    assertRefused(small.withLong(l1Entry, small.l2Table(l1Entry) + 512), "L2");
    long l2Entry = small.firstL2Entry(small.l2Table(l1Entry));
    assertRefused(small.withLong(l2Entry, small.longAt(l2Entry) + 512), "cluster");
  }

  @Test
  void tablesThatOverlapOrLoop() throws IOException, InterruptedException {
    long l1 = small.l1Table();
    long l1Entry = small.firstL1Entry();
    long l2 = small.l2Table(l1Entry);
    long l2Entry = small.firstL2Entry(l2);
    // In the first image, the L1 table overlaps the header. In the next three images, a table is
    // also used as an L2 table or as a data cluster.
    assertRefused(small.withLong(Qcow2Bytes.L1_TABLE_OFFSET, 0), "L1");
    assertRefused(small.withLong(l1Entry, l1 | 1L << 63), "");
    assertRefused(small.withLong(l2Entry, l1 | 1L << 63), "");
    assertRefused(small.withLong(l2Entry, l2 | 1L << 63), "");
    // Two L1 entries name the same L2 table.
    assertRefused(small.withLong(l1Entry + 8, l2 | 1L << 63), "");
  }

  @Test
  void truncated() throws IOException, InterruptedException {
    byte[] whole = small.bytes();
    for (int length :
        new int[] {4, 50, 72, 103, 104, 4096, whole.length / 2, whole.length - 4096}) {
      assertRefused(Arrays.copyOf(whole, length), "truncated to " + length, "");
    }
  }

  @Test
  void compressionNestedTooDeeply() throws IOException, InterruptedException {
    Path nested = Files.write(work.resolve("nested"), new byte[1000]);
    for (int i = 0; i < 30; i++) {
      Path next = work.resolve("nested" + i);
      Command.into(next, "gzip", "-c", nested.toString());
      nested = next;
    }
    assertRefused(nested, "");
  }

  @Test
  void vmdkDescriptorThatNamesAnotherFile() throws IOException, InterruptedException {
    Path image = work.resolve("names.vmdk");
    QemuImg.create(image, "vmdk", "subformat=monolithicSparse", "1M");
    byte[] bytes = Files.readAllBytes(image);
    String text = new String(bytes, ISO_8859_1);
    int start = text.indexOf("RW 2048 SPARSE");
    int end = text.indexOf('\n', start);
    String extent = "RW 8 FLAT \"" + SECRET_FILE + "\" 0";
    assertTrue(start > 0 && extent.length() <= end - start, text.substring(start, end));
    String padded = extent + " ".repeat(end - start - extent.length());
    System.arraycopy(padded.getBytes(ISO_8859_1), 0, bytes, start, padded.length());
    assertRefused(bytes, image.toString(), "");
  }

  /// A VMDK descriptor without data is a text that names files. The service refuses the text even
  /// if the client declares the text as a raw disk.
  @Test
  void vmdkDescriptorAlone() throws IOException, InterruptedException {
    String descriptor =
        """
        # Disk DescriptorFile
        version=1
        CID=fffffffe
        parentCID=ffffffff
        createType="monolithicFlat"

        # Extent description
        RW 8 FLAT "/etc/passwd" 0

        # The Disk Data Base
        ddb.adapterType = "ide"
        """;
    Path file = Files.writeString(work.resolve("descriptor.vmdk"), descriptor);
    Curl.Result named = Curl.upload(file, service.uri("/upload/?format=vmdk"));
    assertEquals(422, named.answer().status(), () -> named.answer().toString());
    for (String query : List.of("", "?format=raw")) {
      Curl.upload(file, service.uri("/upload/" + query)).expect(422).problem();
      volume.assertEmpty();
    }
  }

  @Test
  void vmdkOfSeveralFiles() throws IOException, InterruptedException {
    Path image = work.resolve("split.vmdk");
    QemuImg.create(image, "vmdk", "subformat=twoGbMaxExtentSparse", "1M");
    Curl.Result named = Curl.upload(image, service.uri("/upload/?format=vmdk"));
    assertEquals(422, named.answer().status(), () -> named.answer().toString());
  }

  @Test
  void vmdkWithAParent() throws IOException, InterruptedException {
    Path parent = work.resolve("parent.vmdk");
    QemuImg.create(parent, "vmdk", "", "1M");
    Path child = work.resolve("child.vmdk");
    QemuImg.run(
        "create", "-q", "-f", "vmdk", "-b", parent.toString(), "-F", "vmdk", child.toString());
    assertRefused(child, "parent");
  }

  /// In a VDI header, image type 4 (byte 0x4c, little-endian) marks a differencing image. The UUID
  /// of the parent is at byte 0x1a8. The UUID of the parent's last modification is at byte 0x1b8.
  @Test
  void vdiWithAParent() throws IOException, InterruptedException {
    Path image = work.resolve("child.vdi");
    QemuImg.create(image, "vdi", "", "1M");
    byte[] bytes = Files.readAllBytes(image);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putInt(0x4c, 4).putLong(0x1a8, 1).putLong(0x1b0, 2).putLong(0x1b8, 3).putLong(0x1c0, 4);
    assertRefused(bytes, image.toString(), "type 4");
  }

  /// In the footer of a VHD and in the footer's copy, disk type 4 (byte 60, big-endian) marks a
  /// differencing disk.
  @Test
  void vhdWithAParent() throws IOException, InterruptedException {
    Path image = work.resolve("child.vhd");
    QemuImg.create(image, "vpc", "subformat=dynamic", "1M");
    byte[] bytes = Files.readAllBytes(image);
    for (int footer : new int[] {0, bytes.length - 512}) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes, footer, 512).slice();
      // Sets the disk type at byte 60 and the checksum at byte 64. The checksum is the ones'
      // complement of the sum of all other bytes.
      int sum = ~buffer.getInt(64) + 4 - buffer.getInt(60);
      buffer.putInt(60, 4).putInt(64, ~sum);
    }
    assertRefused(bytes, image.toString(), "parent");
  }

  /// In a VHDX, bit 1 of the flags in the File Parameters marks an image with a parent.
  @Test
  void vhdxWithAParent() throws IOException, InterruptedException {
    Path image = work.resolve("child.vhdx");
    QemuImg.create(image, "vhdx", "", "1M");
    byte[] bytes = Files.readAllBytes(image);
    String text = new String(bytes, ISO_8859_1);
    int metadata = text.indexOf("metadata");
    // The ID of the File Parameters, CAA16737-FA36-4D43-B3B6-33F0AA44E76B, in the byte order of the
    // file.
    byte[] id = {
      0x37,
      0x67,
      (byte) 0xa1,
      (byte) 0xca,
      0x36,
      (byte) 0xfa,
      0x43,
      0x4d,
      (byte) 0xb3,
      (byte) 0xb6,
      0x33,
      (byte) 0xf0,
      (byte) 0xaa,
      0x44,
      (byte) 0xe7,
      0x6b
    };
    int entry = text.indexOf(new String(id, ISO_8859_1), metadata);
    assertTrue(metadata > 0 && entry > metadata, "no File Parameters in " + image);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int flags = metadata + buffer.getInt(entry + 16) + 4;
    buffer.putInt(flags, buffer.getInt(flags) | 2);
    assertRefused(bytes, image.toString(), "parent");
  }

  @Test
  void aFormatThatItIsNot() throws IOException, InterruptedException {
    byte[] raw = new byte[1 << 20];
    for (String format : List.of("qcow2", "vmdk", "vdi", "vhd", "vhdx")) {
      service.http().put("/upload?format=" + format, raw).expect(422).problem();
    }
    service.http().put("/upload?format=qed", raw).expect(400).problem();
  }

  /// The raw disk looks like a qcow2 image whose backing file is [#SECRET_FILE]. If a program
  /// probes the format of this disk, the program opens the backing file. Therefore the service
  /// accepts this disk only with `allowMagic=true`.
  @Test
  void rawThatLooksLikeAnImageHasToBeAllowed() throws IOException, InterruptedException {
    Path image = work.resolve("only-bytes.qcow2");
    QemuImg.run("create", "-q", "-f", "qcow2", "-b", SECRET_FILE, "-F", "raw", image.toString());
    Curl.upload(image, service.uri("/upload/?format=raw")).expect(422).problem();
    volume.assertEmpty();
    Curl.upload(image, service.uri("/upload/?format=raw&allowMagic=true")).expect(201);
    QemuImg.assertIdentical(image, "raw", volume.disk());
    service.http().delete("/volume").expect(204);
  }

  private static void assertRefused(Qcow2Bytes image, String mentions)
      throws IOException, InterruptedException {
    assertRefused(image.bytes(), "qcow2", mentions);
  }

  private static void assertRefused(Path image, String mentions)
      throws IOException, InterruptedException {
    assertRefused(Files.readAllBytes(image), image.toString(), mentions);
  }

  /// Checks that the service refuses the image with 413 or 422. With 422, the reason must contain
  /// `mentions`.
  private static void assertRefused(byte[] image, String what, String mentions)
      throws IOException, InterruptedException {
    Answer answer = service.http().put("/upload", image);
    assertTrue(Set.of(413, 422).contains(answer.status()), () -> what + ": " + answer);
    String detail = answer.problem().path("detail").asText();
    assertTrue(
        answer.status() == 413
            || detail.toLowerCase(Locale.ROOT).contains(mentions.toLowerCase(Locale.ROOT)),
        () -> what + ": expected '" + mentions + "' in: " + detail);
    volume.assertEmpty();
  }
}

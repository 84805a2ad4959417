package dev.pvcpopulators.diskimage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnifferTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "qcow2, '', QCOW2",
    "qcow2, compat=0.10, QCOW2",
    "vmdk, subformat=monolithicSparse, VMDK",
    "vmdk, subformat=streamOptimized, VMDK",
    "vdi, '', VDI",
    "vpc, subformat=dynamic, VHD",
    "vpc, subformat=fixed, RAW",
    "vhdx, '', VHDX",
    "raw, '', RAW"
  })
  @Tag("tools")
  void recognisesImagesOfQemuImg(String format, String options, ImageFormat expected)
      throws IOException {
    Path image = create(format, options);
    assertEquals(new Sniffed.Image(expected), sniff(Files.readAllBytes(image)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"monolithicFlat", "twoGbMaxExtentSparse"})
  @Tag("tools")
  void refusesTextDescriptors(String subformat) throws IOException {
    Path image = create("vmdk", "subformat=" + subformat);
    assertRefused(Files.readAllBytes(image), "VMDK text descriptor");
  }

  @ParameterizedTest
  @CsvSource({"qed, QED", "parallels, Parallels disk"})
  @Tag("tools")
  void refusesUnsupportedFormats(String format, String name) throws IOException {
    assertRefused(Files.readAllBytes(create(format, "")), name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax", "ustar", "oldgnu", "v7"})
  @Tag("tools")
  void knowsTarByItsChecksum(String format) throws IOException {
    Files.writeString(directory.resolve("disk.raw"), "content");
    byte[] tar = Command.of("tar", "-c", "--format=" + format, "disk.raw").bytesIn(directory);
    assertEquals(new Sniffed.Tar(), sniff(tar));
    tar[0] ^= 1;
    assertEquals(new Sniffed.Image(ImageFormat.RAW), sniff(tar));
    tar[0] ^= 1;
    assertEquals(new Sniffed.Image(ImageFormat.RAW), sniff(Arrays.copyOf(tar, 511)));
  }

  @Test
  void looksBehindSkippableFrames() {
    String skippable = "502a4d1803000000aabbcc5f2a4d1800000000";
    assertCompression(Compression.ZSTD, skippable + "28b52ffd");
    assertCompression(Compression.LZ4, skippable + "04224d18");
    assertCompression(Compression.ZSTD, "502a4d18ffffffffaabbcc");
    assertCompression(Compression.ZSTD, "502a4d1800000000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1f8b07",
        "1f8b",
        "28b52f",
        "425a683031415926535900",
        "425a683931415926535800"
      })
  void treatsEverythingElseAsRaw(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertEquals(new Sniffed.Image(ImageFormat.RAW), Sniffer.sniff(bytes, bytes.length));
  }

  @Test
  void treatsContentOfGuestDisksAsRaw() throws IOException {
    assertEquals(
        new Sniffed.Image(ImageFormat.RAW), sniff("LUKS\u00ba\u00be".getBytes(ISO_8859_1)));
    assertEquals(new Sniffed.Image(ImageFormat.RAW), sniff("hsqs\0".getBytes(ISO_8859_1)));
    assertEquals(new Sniffed.Image(ImageFormat.RAW), sniff(new byte[512]));
  }

  @Test
  @Tag("tools")
  void knowsZipWithAndWithoutEntries() throws IOException {
    Files.writeString(directory.resolve("disk.raw"), "content");
    byte[] zip = Command.of("zip", "-q", "-", "disk.raw").bytesIn(directory);
    assertEquals(new Sniffed.Zip(), sniff(zip));
    assertEquals(new Sniffed.Zip(), sniff("PK\5\6".getBytes(ISO_8859_1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "-6", "-9e"})
  @Tag("tools")
  void refusesLzma(String level) throws IOException {
    Path raw = Files.write(directory.resolve("raw"), new byte[1 << 20]);
    assertRefused(Command.of("lzma", level, "-c").with(raw).bytes(), ".lzma stream");
  }

  /// Tests formats that the tools of this test cannot write. The first bytes of each format come
  /// from its specification.
  @ParameterizedTest
  @CsvSource({
    "1f9d90, .Z stream (compress)",
    "3aff26ed010000001c000c00, Android sparse image",
    "455646090d0aff0001, E01 (EnCase evidence file)",
    "455646320d0a810002, Ex01 (EnCase evidence file)",
    "564d410000000001, VMA (Proxmox backup)",
    "656e637263647361, encrypted DMG (Apple disk image)"
  })
  void refusesByName(String hex, String name) throws IOException {
    assertRefused(Arrays.copyOf(HexFormat.of().parseHex(hex), 4096), name);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<!DOCTYPE html><html><title>404|HTML page",
        "<html>|HTML page",
        "<?xml version='1.0'?><Error><Code>AccessDenied</Code>|XML or HTML document",
        "{\"errors\":[{\"code\":\"UNAUTHORIZED\"}]}|JSON document",
        "version https://git-lfs.github.com/spec/v1|Git LFS pointer",
        "Hello world!|text file",
        "grüße aus Köln|text file",
        "version=1|VMDK text descriptor"
      })
  void refusesText(String text, String name) throws IOException {
    assertRefused(text.getBytes(UTF_8), name);
    assertRefused(("\n" + text + "\n" + "more of it\n".repeat(100)).getBytes(UTF_8), name);
  }

  /// QEMU recognises a VMDK descriptor by its `version=` line, and skips the comments and blank
  /// lines before this line. The usual comment `# Disk DescriptorFile` is not necessary.
  @Test
  void refusesADescriptorBehindComments() throws IOException {
    assertRefused(
        "# comment\n \n# other\nversion=3\nCID=1\n".getBytes(UTF_8), "VMDK text descriptor");
  }

  @Test
  void treatsTextWithABinaryByteAsRaw() throws IOException {
    byte[] text = "text\n".repeat(103).getBytes(UTF_8);
    text[400] = 0;
    assertEquals(new Sniffed.Image(ImageFormat.RAW), sniff(text));
    text[400] = (byte) 0xff;
    assertEquals(new Sniffed.Image(ImageFormat.RAW), sniff(text));
  }

  @Test
  void saysWhenThereIsNothing() throws IOException {
    try (SniffedStream stream = SniffedStream.open(new ByteArrayInputStream(new byte[0]))) {
      assertTrue(stream.empty());
      assertEquals(-1, stream.read());
    }
  }

  private Path create(String format, String options) {
    Path image = directory.resolve("image");
    Command create = Command.of("qemu-img", "create", "-q", "-f", format);
    (options.isEmpty() ? create : create.with("-o", options)).with(image, "8M").bytes();
    return image;
  }

  private static void assertRefused(byte[] bytes, String name) throws IOException {
    assertEquals(name, assertInstanceOf(Sniffed.Unsupported.class, sniff(bytes)).name());
  }

  private static void assertCompression(Compression expected, String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertEquals(new Sniffed.Compressed(expected), Sniffer.sniff(bytes, bytes.length));
  }

  private static Sniffed sniff(byte[] bytes) throws IOException {
    try (SniffedStream stream = SniffedStream.open(new ByteArrayInputStream(bytes))) {
      assertArrayEquals(bytes, stream.readAllBytes());
      return stream.sniffed();
    }
  }

  @Test
  void theConstantNamesAllFormats() {
    assertEquals(ImageFormat.names(_ -> true), ImageFormat.NAMES);
    assertEquals("raw or qcow2", ImageFormat.names(ImageFormat::onePass));
  }
}

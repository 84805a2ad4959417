package dev.pvcpopulators.diskimage.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.volume.MountedFileSystem;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.Preallocation;
import dev.pvcpopulators.diskimage.volume.PublishedDisk;
import dev.pvcpopulators.diskimage.volume.VolumeTarget;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.diskimage.volume.WriteOptions;
import dev.pvcpopulators.it.Command;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("tools")
@Timeout(1200)
class DiskImportTest {
  private static final Command QEMU_IMG = Command.of("qemu-img");
  private static final int MIB = 1 << 20;

  /// A stream that always throws.
  private static final class Broken extends InputStream {
    private final IOException reason;

    Broken(IOException reason) {
      this.reason = reason;
    }

    @Override
    public int read() throws IOException {
      throw reason;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      throw reason;
    }
  }

  @TempDir Path home;
  Path volume = Path.of("");
  Path raw = Path.of("");

  @BeforeEach
  void makeRawImage() throws IOException {
    volume = Files.createDirectory(home.resolve("volume"));
    raw = home.resolve("raw");
    byte[] disk = new byte[8 * MIB];
    byte[] data = new byte[3 * MIB];
    new Random(42).nextBytes(data);
    System.arraycopy(data, 0, disk, MIB / 2, data.length);
    disk[disk.length - 1] = 1;
    Files.write(raw, disk);
  }

  private byte[] image(ImageFormat format) throws IOException {
    if (format == ImageFormat.RAW) {
      return Files.readAllBytes(raw);
    }
    String name = format == ImageFormat.VHD ? "vpc" : format.name().toLowerCase(Locale.ROOT);
    Path image = home.resolve("image." + name);
    List<String> options = format == ImageFormat.VHD ? List.of("-o", "force_size=on") : List.of();
    QEMU_IMG
        .with("convert", "-f", "raw", "-O", name)
        .with(options.toArray())
        .with(raw, image)
        .bytes();
    return Files.readAllBytes(image);
  }

  private static byte[] filtered(byte[] bytes, String... command) {
    return Command.of((Object[]) command).bytes(bytes);
  }

  private static byte[] gzip(byte[] bytes) {
    return filtered(bytes, "gzip", "-1");
  }

  private byte[] tar(String... names) {
    return Command.of("tar", "-c").with((Object[]) names).bytesIn(home);
  }

  private ImportedImage run(InputStream source, OptionalLong length, Optional<ImageFormat> format)
      throws IOException {
    try (VolumeWriter writer = VolumeTarget.of(volume).open(WriteOptions.DEFAULTS)) {
      ImportedImage image = DiskImport.run(source, length, writer, format, ImportListener.NONE);
      writer.publish(Origin.digest(""), image.format());
      return image;
    }
  }

  private ImportedImage run(byte[] source) throws IOException {
    return run(new ByteArrayInputStream(source), OptionalLong.of(source.length), Optional.empty());
  }

  private void assertDiskIsRaw() {
    QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, volume.resolve("disk.img")).bytes();
  }

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(volume)) {
      assertEquals(List.of(), left.toList());
    }
  }

  private <E extends Throwable> E assertRefused(Class<E> type, byte[] source) throws IOException {
    E thrown = assertThrows(type, () -> run(source));
    assertNothingIsLeft();
    return thrown;
  }

  @ParameterizedTest
  @EnumSource(ImageFormat.class)
  void importsEveryFormat(ImageFormat format) throws IOException {
    ImportedImage image = run(image(format));
    assertEquals(new ImportedImage(format, List.of(), 8 * MIB, DiskContent.BLANK), image);
    assertDiskIsRaw();
    try (Stream<Path> left = Files.list(volume)) {
      assertEquals(List.of(volume.resolve("disk.img")), left.toList(), "no spool is left");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd", "xz", "bzip2", "lz4"})
  void importsWhatIsCompressed(String tool) throws IOException {
    ImportedImage image = run(filtered(image(ImageFormat.QCOW2), tool, "-1", "-c"));
    assertEquals(List.of(tool), image.wrapping());
    assertDiskIsRaw();
  }

  @Test
  void importsAsDeepAsAllowedAndNoDeeper() throws IOException {
    byte[] four = gzip(gzip(gzip(gzip(image(ImageFormat.RAW)))));
    assertEquals(4, run(four).wrapping().size());
    assertDiskIsRaw();
    Files.delete(volume.resolve("disk.img"));
    assertRefused(UnsupportedFeatureException.class, gzip(four));
  }

  @Test
  void permitsOneLargeDecoderAtATime() throws IOException {
    String[] large = {"xz", "-9", "-c"};
    byte[] once = gzip(filtered(filtered(image(ImageFormat.RAW), "bzip2", "-c"), large));
    assertEquals(List.of("gzip", "xz", "bzip2"), run(once).wrapping());
    assertDiskIsRaw();
    Files.delete(volume.resolve("disk.img"));
    // An xz stream states the size of its dictionary before any data, so a small disk suffices.
    byte[] inner = filtered(Arrays.copyOf(image(ImageFormat.RAW), MIB), large);
    for (String other : List.of("xz", "zstd", "lz4")) {
      byte[] twice = filtered(inner, other, "-c");
      assertRefused(UnsupportedFeatureException.class, twice);
    }
  }

  @Test
  void importsTheOneDiskInATar() throws IOException {
    Files.write(home.resolve("a.qcow2"), image(ImageFormat.QCOW2));
    assertEquals(List.of("gzip", "tar"), run(gzip(tar("a.qcow2"))).wrapping());
    assertDiskIsRaw();
    Files.delete(volume.resolve("disk.img"));
    UnsupportedFeatureException two =
        assertRefused(UnsupportedFeatureException.class, tar("a.qcow2", "raw"));
    assertTrue(two.toString().contains("raw"), two.toString());
  }

  @Test
  void refusesASourceOfAnotherFormat() throws IOException {
    byte[] qcow2 = image(ImageFormat.QCOW2);
    InputStream source = new ByteArrayInputStream(qcow2);
    assertThrows(
        UnsupportedFeatureException.class,
        () -> run(source, OptionalLong.empty(), Optional.of(ImageFormat.VMDK)));
    assertNothingIsLeft();
    byte[] gzipped = gzip(qcow2);
    run(
        new ByteArrayInputStream(gzipped),
        OptionalLong.of(gzipped.length),
        Optional.of(ImageFormat.RAW));
    byte[] disk = Files.readAllBytes(volume.resolve("disk.img"));
    assertArrayEquals(gzipped, Arrays.copyOf(disk, gzipped.length), "raw is taken as it is");
  }

  @Test
  void refusesEmptyFiles() throws IOException {
    assertRefused(MalformedImageException.class, new byte[0]);
    assertRefused(MalformedImageException.class, gzip(new byte[0]));
    Files.createFile(home.resolve("empty"));
    assertRefused(MalformedImageException.class, tar("empty"));
  }

  @Test
  void refusesLayersThatAreCutOrDamagedBehindTheImage() throws IOException {
    byte[] gzipped = gzip(image(ImageFormat.QCOW2));
    assertRefused(MalformedImageException.class, Arrays.copyOf(gzipped, gzipped.length - 1));
    assertRefused(MalformedImageException.class, Arrays.copyOf(gzipped, gzipped.length / 2));
    byte[] wrongSum = gzipped.clone();
    wrongSum[gzipped.length - 8] ^= 1;
    assertRefused(MalformedImageException.class, wrongSum);
  }

  @Test
  void verifiesBytesAfterTheImage() throws IOException {
    byte[] qcow2 = image(ImageFormat.QCOW2);
    byte[] padded = gzip(Arrays.copyOf(qcow2, qcow2.length + 4 * MIB));
    run(padded);
    assertDiskIsRaw();
    Files.delete(volume.resolve("disk.img"));
    padded[padded.length - 8] ^= 1;
    assertRefused(MalformedImageException.class, padded);
  }

  @Test
  void refusesARawImageOfAnotherLength() throws IOException {
    byte[] disk = image(ImageFormat.RAW);
    for (long said : new long[] {disk.length - 1, disk.length + 1}) {
      InputStream source = new ByteArrayInputStream(disk);
      assertThrows(
          MalformedImageException.class,
          () -> run(source, OptionalLong.of(said), Optional.of(ImageFormat.RAW)));
      assertNothingIsLeft();
    }
  }

  @Test
  void refusesADiskThatCannotFit() throws IOException {
    Path large = home.resolve("large");
    QEMU_IMG.with("create", "-q", "-f", "qcow2", large, "900T").bytes();
    assertRefused(ExceedsVolumeException.class, Files.readAllBytes(large));
    QEMU_IMG.with("create", "-q", "-f", "vdi", large, "20T").bytes();
    assertRefused(ExceedsVolumeException.class, Files.readAllBytes(large));
  }

  @ParameterizedTest
  @EnumSource(ImageFormat.class)
  void propagatesExceptionsOfTheSource(ImageFormat format) throws IOException {
    byte[] image = image(format);
    IOException reason = new IOException("The connection was lost");
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream(image, 0, image.length / 2), new Broken(reason));
    IOException thrown =
        assertThrows(
            IOException.class, () -> run(broken, OptionalLong.of(image.length), Optional.empty()));
    assertSame(reason, thrown);
    assertNothingIsLeft();
  }

  @Test
  void leavesNothingWhenCancelled() throws IOException {
    byte[] image = image(ImageFormat.RAW);
    try (VolumeWriter writer = VolumeTarget.of(volume).open(WriteOptions.DEFAULTS)) {
      ImportListener cancelling =
          new ImportListener() {
            @Override
            public void decoded(long bytes) {
              writer.cancel();
            }
          };
      assertThrows(
          IOException.class,
          () ->
              DiskImport.run(
                  new ByteArrayInputStream(image),
                  OptionalLong.empty(),
                  writer,
                  Optional.empty(),
                  cancelling));
    }
    assertNothingIsLeft();
  }

  private ImportedImage run(byte[] source, FormatChoice format) throws IOException {
    try (VolumeWriter writer = VolumeTarget.of(volume).open(WriteOptions.DEFAULTS)) {
      ImportedImage image =
          DiskImport.run(
              new ByteArrayInputStream(source),
              OptionalLong.of(source.length),
              writer,
              format,
              ImportListener.NONE);
      writer.publish(Origin.digest(""), image.format());
      return image;
    }
  }

  private static FormatChoice named(ImageFormat format) {
    return FormatChoice.of(Optional.of(format));
  }

  private void startAgain() throws IOException {
    Files.delete(volume.resolve("disk.img"));
  }

  private void assertRefusedWith(String words, byte[] source) throws IOException {
    UnsupportedFeatureException refusal = assertRefused(UnsupportedFeatureException.class, source);
    assertTrue(refusal.toString().contains(words), refusal.toString());
  }

  @Test
  void refusesTextUnlessItIsSaidToBeRaw() throws IOException {
    byte[] page = "<!doctype html><title>Not found</title>".getBytes(UTF_8);
    assertRefusedWith("HTML page", page);
    assertRefusedWith("HTML page", gzip(page));
    assertEquals(DiskContent.UNKNOWN, run(page, named(ImageFormat.RAW)).content());
  }

  /// For a compressed disk, the import knows the length only at the end of the stream. At that
  /// time, the import has already written all bytes of the disk.
  @Test
  void refusesPartsOfSectorsUnlessItIsSaidToBeRaw() throws IOException {
    byte[] cut = Arrays.copyOf(image(ImageFormat.RAW), 5 * MIB + 511);
    assertRefusedWith("whole number of sectors", cut);
    assertRefusedWith("whole number of sectors", gzip(cut));
    Files.write(home.resolve("cut"), cut);
    assertRefusedWith("whole number of sectors", tar("cut"));
    assertEquals(cut.length, run(cut, named(ImageFormat.RAW)).virtualSize());
  }

  /// A DMG ends with a trailer of 512 bytes. The first fields of the trailer are `koly`, the
  /// version and the trailer's length.
  @Test
  void refusesDmgByItsTrailer() throws IOException {
    byte[] dmg = image(ImageFormat.RAW);
    ByteBuffer.wrap(dmg, dmg.length - 512, 12).putInt(0x6b6f6c79).putInt(4).putInt(512);
    assertRefusedWith("DMG", dmg);
    assertRefusedWith("DMG", gzip(Arrays.copyOfRange(dmg, MIB, dmg.length)));
  }

  @Test
  void namesQcow1() throws IOException {
    Path old = home.resolve("old.qcow");
    QEMU_IMG.with("convert", "-f", "raw", "-O", "qcow", raw, old).bytes();
    assertRefusedWith("qcow (version 1)", Files.readAllBytes(old));
  }

  @ParameterizedTest
  @CsvSource({
    "'mkfs.ext4 -q -F', FILE_SYSTEM",
    "'mkfs.xfs -q -f', FILE_SYSTEM",
    "'mkswap -q', SWAP"
  })
  void reportsTheContentOfTheDisk(String command, DiskContent content) throws IOException {
    Path made = home.resolve("made");
    Command.of("truncate", "-s", "400M").with(made).bytes();
    Command.of((Object[]) command.split(" ", -1)).with(made).bytes();
    Path image = home.resolve("made.qcow2");
    QEMU_IMG.with("convert", "-f", "raw", "-O", "qcow2", made, image).bytes();
    assertEquals(content, run(Files.readAllBytes(image)).content());
    assertEquals(Optional.empty(), content.notice());
  }

  /// The boot signature in the last two bytes of the first sector identifies a partition table.
  @Test
  void saysThatTheDiskHasAPartitionTable() throws IOException {
    byte[] disk = image(ImageFormat.RAW);
    disk[510] = 0x55;
    disk[511] = (byte) 0xaa;
    assertEquals(DiskContent.PARTITION_TABLE, run(gzip(disk)).content());
  }

  @Test
  void reportsUnknownContent() throws IOException {
    byte[] random = new byte[MIB];
    new Random(5).nextBytes(random);
    ImportedImage image = run(random);
    assertEquals(DiskContent.UNKNOWN, image.content());
    assertTrue(image.content().notice().orElseThrow().contains("partition table"));
  }

  private byte[] imageWithBackingFile() throws IOException {
    Path image = home.resolve("overlay");
    QEMU_IMG
        .with("create", "-q", "-f", "qcow2", "-u", "-b", "/etc/passwd", "-F", "raw", image, "1M")
        .bytes();
    byte[] bytes = Files.readAllBytes(image);
    return Arrays.copyOf(bytes, Math.ceilDiv(bytes.length, 512) * 512);
  }

  @Test
  void refusesRawThatBeginsLikeAnImageUnlessThatIsAllowed() throws IOException {
    byte[] overlay = imageWithBackingFile();
    FormatChoice raw = named(ImageFormat.RAW);
    for (byte[] image :
        List.of(
            overlay,
            image(ImageFormat.VMDK),
            "#\nversion=1\nRW 8 FLAT \"/etc/passwd\" 0\n".getBytes(UTF_8))) {
      UnsupportedFeatureException refusal =
          assertThrows(UnsupportedFeatureException.class, () -> run(image, raw));
      assertTrue(refusal.toString().contains("beginning of another image"), refusal.toString());
      assertNothingIsLeft();
    }
    run(overlay, new FormatChoice(Optional.of(ImageFormat.RAW), true));
    byte[] disk = Files.readAllBytes(volume.resolve("disk.img"));
    assertArrayEquals(overlay, Arrays.copyOf(disk, overlay.length));
  }

  /// In an image of any format, the disk can begin with the bytes of another image.
  @ParameterizedTest
  @ValueSource(strings = {"qcow2", "vmdk"})
  void refusesAnImageAroundAnImage(String outer) throws IOException {
    Path inner = Files.write(home.resolve("inner"), imageWithBackingFile());
    Path image = home.resolve("outer");
    QEMU_IMG.with("convert", "-f", "raw", "-O", outer, inner, image).bytes();
    assertRefusedWith("beginning of another image", Files.readAllBytes(image));
    run(Files.readAllBytes(image), new FormatChoice(Optional.empty(), true));
  }

  @Test
  void readsAFixedVhdThatIsNamed() throws IOException {
    Path vhd = home.resolve("fixed.vhd");
    QEMU_IMG
        .with("convert", "-f", "raw", "-O", "vpc", "-o", "subformat=fixed,force_size=on", raw, vhd)
        .bytes();
    byte[] bytes = Files.readAllBytes(vhd);
    assertEquals(8 * MIB + 512, bytes.length);
    ImportedImage image = run(bytes, named(ImageFormat.VHD));
    assertEquals(8 * MIB, image.virtualSize());
    assertDiskIsRaw();
    assertEquals(8 * MIB, Files.size(volume.resolve("disk.img")));
    startAgain();
    byte[] noVhd = image(ImageFormat.RAW);
    assertThrows(MalformedImageException.class, () -> run(noVhd, named(ImageFormat.VHD)));
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @EnumSource(ImageFormat.class)
  void reservesTheSpaceOfEveryFormat(ImageFormat format) throws IOException {
    byte[] source = image(format);
    WriteOptions options =
        new WriteOptions(false, false, Preallocation.FALLOC, Optional.empty(), false);
    try (MountedFileSystem mounted =
            MountedFileSystem.make(MountedFileSystem.Kind.EXT4, 256L * MIB);
        VolumeWriter writer = VolumeTarget.of(mounted.root()).open(options)) {
      ImportedImage image =
          DiskImport.run(
              new ByteArrayInputStream(source),
              OptionalLong.of(source.length),
              writer,
              Optional.empty(),
              ImportListener.NONE);
      PublishedDisk disk = writer.publish(Origin.digest(""), image.format());
      assertTrue(disk.allocated() >= 8 * MIB, format + ": " + disk);
      QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, disk.path()).bytes();
    }
  }

  private void companions(String... names) throws IOException {
    for (String name : names) {
      Files.writeString(home.resolve(name), "SHA256(disk)= 00\n");
    }
  }

  @Test
  void importsTheDiskOfAnOva() throws IOException {
    QEMU_IMG
        .with("convert", "-f", "raw", "-O", "vmdk", "-o", "subformat=streamOptimized", raw)
        .with(home.resolve("vm-disk1.vmdk"))
        .bytes();
    companions("vm.ovf", "vm.mf");
    ImportedImage image = run(tar("--format=ustar", "vm.ovf", "vm.mf", "vm-disk1.vmdk"));
    assertEquals(ImageFormat.VMDK, image.format());
    assertDiskIsRaw();
    startAgain();
    run(tar("vm.ovf", "vm-disk1.vmdk", "vm.mf"));
    startAgain();
    Files.copy(home.resolve("vm-disk1.vmdk"), home.resolve("vm-disk2.vmdk"));
    assertRefusedWith("vm-disk2.vmdk", tar("vm.ovf", "vm-disk1.vmdk", "vm-disk2.vmdk"));
    assertRefusedWith("no regular file", tar("vm.ovf", "vm.mf"));
  }

  @Test
  void importsTheDiskOfAVagrantBoxAndBesideAChecksum() throws IOException {
    Files.write(home.resolve("box.img"), image(ImageFormat.QCOW2));
    companions("metadata.json", "Vagrantfile", "SHA256SUMS", "raw.sha256");
    run(gzip(tar("./metadata.json", "./Vagrantfile", "./box.img")));
    assertDiskIsRaw();
    startAgain();
    run(tar("--format=v7", "SHA256SUMS", "raw", "raw.sha256"));
    assertDiskIsRaw();
  }

  /// A companion is a small file beside the disk, such as a README. A file of more than 16 MiB
  /// counts as a second disk, even if it has the name of a companion.
  @Test
  void takesALongCompanionForADisk() throws IOException {
    Command.of("truncate", "-s", "17M").with(home.resolve("a.txt")).bytes();
    assertRefusedWith("a.txt", tar("raw", "a.txt"));
    assertRefusedWith("a.txt", zip("raw", "a.txt"));
  }

  private byte[] zip(String... arguments) {
    return Command.of("zip", "-q", "-r", "-").with((Object[]) arguments).bytesIn(home);
  }

  @Test
  void importsTheDiskInAZip() throws IOException {
    companions("SHA256SUMS", "README.md");
    assertEquals(List.of("zip"), run(zip("SHA256SUMS", "raw", "README.md")).wrapping());
    assertDiskIsRaw();
    startAgain();
    Path stored = home.resolve("stored.zip");
    Command.of("zip", "-q", "-0").with(stored).with("raw").bytesIn(home);
    run(Files.readAllBytes(stored));
    assertDiskIsRaw();
    startAgain();
    Files.createDirectory(home.resolve("directory"));
    Files.write(home.resolve("directory/disk.qcow2"), image(ImageFormat.QCOW2));
    assertEquals(List.of("gzip", "zip"), run(gzip(zip("directory"))).wrapping());
    assertDiskIsRaw();
  }

  /// If zip writes to a pipe, the lengths of an entry follow the entry's data. If zip also reads
  /// the data from a pipe, these lengths are ZIP64 fields.
  @Test
  void importsAZipThatWasWrittenToAPipe() throws IOException {
    byte[] zip = Command.of("sh", "-c", "cat raw | zip -q - - | cat").bytesIn(home);
    run(zip);
    assertDiskIsRaw();
  }

  @Test
  void refusesAZipThatIsNotOneDisk() throws IOException {
    Files.write(home.resolve("other.raw"), new byte[MIB]);
    assertRefusedWith("other.raw", zip("raw", "other.raw"));
    companions("notes.txt");
    assertRefusedWith("no regular file", zip("notes.txt"));
    byte[] empty = Arrays.copyOf("PK\5\6".getBytes(UTF_8), 22);
    assertRefusedWith("no regular file", empty);
    assertRefusedWith("encrypted", zip("-P", "secret", "raw"));
    assertRefusedWith("not read", zip("-Z", "bzip2", "raw"));
  }

  @Test
  void refusesAZipThatIsCutOrDamaged() throws IOException {
    byte[] zip = zip("raw");
    for (int length : new int[] {20, zip.length / 2, zip.length - 22, zip.length - 1}) {
      assertRefused(MalformedImageException.class, Arrays.copyOf(zip, length));
    }
    // The test cuts the archive between two entries, so that only the missing central directory
    // shows the cut.
    companions("notes.txt");
    byte[] two = zip("raw", "notes.txt");
    String text = new String(two, ISO_8859_1);
    byte[] one = Arrays.copyOf(two, text.indexOf("PK\3\4", 4));
    assertRefused(MalformedImageException.class, one);
    for (int at : new int[] {zip.length / 2, zip.length - 12}) {
      byte[] damaged = zip.clone();
      damaged[at] ^= 1;
      assertRefused(MalformedImageException.class, damaged);
    }
  }

  @Test
  void propagatesExceptionsOfAZipsSource() throws IOException {
    byte[] zip = zip("raw");
    IOException reason = new IOException("The connection was lost");
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream(zip, 0, zip.length / 2), new Broken(reason));
    IOException thrown =
        assertThrows(IOException.class, () -> run(broken, OptionalLong.empty(), Optional.empty()));
    assertSame(reason, thrown);
    assertNothingIsLeft();
  }
}

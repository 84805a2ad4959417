package dev.pvcpopulators.diskimage.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.CommandLineTool;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.target.Origin;
import dev.pvcpopulators.diskimage.target.VolumeTarget;
import dev.pvcpopulators.diskimage.target.VolumeWriter;
import dev.pvcpopulators.diskimage.target.WriteOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(1200)
class DiskImportTest {
  private static final CommandLineTool QEMU_IMG = CommandLineTool.of("qemu-img");
  private static final int MIB = 1 << 20;

  /// Throws.
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
        .run();
    return Files.readAllBytes(image);
  }

  private static byte[] filtered(byte[] bytes, String... command) {
    return CommandLineTool.of(command).run(bytes);
  }

  private static byte[] gzip(byte[] bytes) {
    return filtered(bytes, "gzip", "-1");
  }

  private byte[] tar(String... names) {
    return CommandLineTool.of("tar", "-c").with((Object[]) names).runIn(home);
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
    QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, volume.resolve("disk.img")).run();
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
    assertEquals(new ImportedImage(format, List.of(), 8 * MIB), image);
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
  void holdsTheMemoryOfOneLargeDecoderAtMost() throws IOException {
    String[] large = {"xz", "-9", "-c"};
    byte[] once = gzip(filtered(filtered(image(ImageFormat.RAW), "bzip2", "-c"), large));
    assertEquals(List.of("gzip", "xz", "bzip2"), run(once).wrapping());
    assertDiskIsRaw();
    Files.delete(volume.resolve("disk.img"));
    for (String other : List.of("xz", "zstd", "lz4")) {
      byte[] twice = filtered(filtered(image(ImageFormat.RAW), large), other, "-c");
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
  void holdsTheSourceToTheFormatItIsSaidToHave() throws IOException {
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
  void refusesWhatHasNoBytes() throws IOException {
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
  void verifiesWhatLiesBehindTheLastUsedByteOfTheImage() throws IOException {
    byte[] qcow2 = image(ImageFormat.QCOW2);
    byte[] padded = gzip(Arrays.copyOf(qcow2, qcow2.length + 4 * MIB));
    run(padded);
    assertDiskIsRaw();
    Files.delete(volume.resolve("disk.img"));
    padded[padded.length - 8] ^= 1;
    assertRefused(MalformedImageException.class, padded);
  }

  @Test
  void holdsARawImageToItsLength() throws IOException {
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
    QEMU_IMG.with("create", "-q", "-f", "qcow2", large, "900T").run();
    assertRefused(ExceedsVolumeException.class, Files.readAllBytes(large));
    QEMU_IMG.with("create", "-q", "-f", "vdi", large, "400T").run();
    assertRefused(ExceedsVolumeException.class, Files.readAllBytes(large));
  }

  @ParameterizedTest
  @EnumSource(ImageFormat.class)
  void passesOnWhatTheSourceThrows(ImageFormat format) throws IOException {
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
}

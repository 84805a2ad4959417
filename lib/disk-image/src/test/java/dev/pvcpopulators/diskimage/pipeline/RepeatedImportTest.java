package dev.pvcpopulators.diskimage.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeTarget;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.diskimage.volume.WriteOptions;
import dev.pvcpopulators.it.Command;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests how often an import reads its source, mainly for images in which tables follow the data.
@Tag("tools")
@Timeout(1200)
class RepeatedImportTest {
  private static final Command QEMU_IMG = Command.of("qemu-img");
  private static final int MIB = 1 << 20;

  /// The number of bytes of the disk outside its two holes. This number is larger than the window
  /// (16 MiB). One hole is in the middle of the disk, and the other hole is at the end.
  private static final long CONTENT = 40L * MIB;

  /// A source that counts how often it is opened, and allows one open stream at a time.
  private static class Counted implements RepeatableSource {
    private final byte[] bytes;
    private int opened;
    private int open;

    Counted(byte[] bytes) {
      this.bytes = bytes;
    }

    InputStream stream(int pass) {
      assertTrue(pass > 0);
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public InputStream open() {
      assertEquals(0, open, "streams that are still open");
      open++;
      return new FilterInputStream(stream(++opened)) {
        private boolean closed;

        @Override
        public void close() throws IOException {
          if (!closed) {
            closed = true;
            open--;
          }
          super.close();
        }
      };
    }

    @Override
    public OptionalLong length() {
      return OptionalLong.of(bytes.length);
    }
  }

  private static final class RecordingListener implements ImportListener {
    private final List<Integer> passes = new ArrayList<>();
    private int recognised;
    private long decoded;

    @Override
    public void recognised(dev.pvcpopulators.diskimage.ImageFormat format, List<String> wrapping) {
      recognised++;
    }

    @Override
    public void readAgain(int pass) {
      passes.add(pass);
    }

    @Override
    public void decoded(long bytes) {
      decoded += bytes;
    }
  }

  private static Path raw = Path.of("");

  @TempDir Path home;
  private Path image = Path.of("");

  /// Makes the disk once for all images, because no test changes the disk.
  @BeforeAll
  static void content(@TempDir Path shared) throws IOException {
    raw = shared.resolve("source.raw");
    long seed = System.nanoTime();
    System.out.println("RepeatedImportTest seed " + seed);
    Random random = new Random(seed);
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.setLength(48L * MIB);
      byte[] block = new byte[MIB];
      for (long at = 0; at < CONTENT; at += MIB) {
        random.nextBytes(block);
        for (int i = 0; i < block.length; i += 4) {
          block[i] = 'x';
        }
        file.seek(at < CONTENT / 2 ? at : at + 5L * MIB);
        file.write(block);
      }
    }
  }

  @BeforeEach
  void name() {
    image = home.resolve("image.qcow2");
  }

  private byte[] qcow2(List<String> options) throws IOException {
    QEMU_IMG
        .with("convert", "-f", "raw", "-O", "qcow2")
        .with(options.toArray())
        .with(raw, image)
        .bytes();
    return Files.readAllBytes(image);
  }

  private void write(String... commands) {
    Command tool = Command.of("qemu-io", "-f", "qcow2", "-t", "unsafe");
    for (String command : commands) {
      tool = tool.with("-c", command);
    }
    String said = new String(tool.with(image).bytes(), StandardCharsets.UTF_8);
    assertFalse(said.contains("rror") || said.contains("failed"), said);
  }

  private byte[] resized(List<String> options, String size) throws IOException {
    qcow2(options);
    QEMU_IMG.with("resize", "-f", "qcow2", image, size).bytes();
    return Files.readAllBytes(image);
  }

  private byte[] resized() throws IOException {
    return resized(List.of("-o", "compat=v3"), "600M");
  }

  private static ImportedImage run(RepeatableSource source, LoopVolume volume, ImportListener heard)
      throws IOException {
    VolumeTarget target = VolumeTarget.of(volume.device());
    try (VolumeWriter writer = target.open(WriteOptions.DEFAULTS)) {
      ImportedImage image = DiskImport.run(source, writer, Optional.empty(), heard);
      writer.publish(Origin.digest(""), image.format());
      return image;
    }
  }

  /// Imports the image to a device that is as large as the image's disk. Compares the device with
  /// the disk that qemu-img reads from the image.
  private void assertImported(int passes, byte[] source) throws IOException {
    long size = virtualSize();
    try (LoopVolume volume = LoopVolume.make(size)) {
      Counted counted = new Counted(source);
      RecordingListener heard = new RecordingListener();
      long before = volume.written();
      assertEquals(size, run(counted, volume, heard).virtualSize());
      assertEquals(passes, counted.opened);
      assertEquals(passes == 1 ? List.of() : List.of(2), heard.passes);
      assertEquals(1, heard.recognised);
      QEMU_IMG.with("compare", "-f", "qcow2", "-F", "raw", image, volume.backing()).bytes();
      // The import first unmaps the whole device except the first MiB. The kernel counts these
      // bytes as written, too.
      long written = volume.written() - before - (size - MIB);
      assertTrue(
          written <= 1.02 * volume.allocated(),
          written + " bytes written, of " + volume.allocated());
      assertTrue(heard.decoded >= CONTENT && heard.decoded <= size, "decoded " + heard.decoded);
    }
  }

  private long virtualSize() {
    String info =
        new String(QEMU_IMG.with("info", "--output=json", image).bytes(), StandardCharsets.UTF_8);
    return Long.parseLong(info.replaceAll("(?s).*\"virtual-size\": (\\d+).*", "$1"));
  }

  @ParameterizedTest
  @CsvSource({
    "cluster_size=512, 1G",
    "cluster_size=4k, 64M",
    "cluster_size=64k, 600M",
    "cluster_size=2M, 513G",
    "extended_l2=on, 300M",
    "compat=0.10, 600M"
  })
  void resizedImage(String options, String size) throws IOException {
    assertImported(2, resized(List.of("-o", options), size));
  }

  @ParameterizedTest
  @Tag("nightly")
  @ValueSource(strings = {"compression_type=zlib", "compression_type=zstd", "cluster_size=4k"})
  void compressedImageThatWasResizedAndWritten(String options) throws IOException {
    resized(List.of("-c", "-o", options), "600M");
    write("write -P 9 1M 3M", "write -P 8 590M 2M", "write -P 7 30M 64k", "write -z 6M 1M");
    assertImported(2, Files.readAllBytes(image));
  }

  @ParameterizedTest
  @Tag("nightly")
  @ValueSource(strings = {"cluster_size=4k", "compat=v3", "extended_l2=on"})
  void snapshotThatWasWrittenTo(String options) throws IOException {
    qcow2(List.of("-o", options));
    QEMU_IMG.with("snapshot", "-c", "s", image).bytes();
    write("write -P 9 1M 3M", "write -P 7 30M 64k", "write -P 5 41M 512");
    assertImported(2, Files.readAllBytes(image));
  }

  @Test
  void compressedExtentsWhoseTableComesLate() throws IOException {
    qcow2(List.of("-c", "-o", "compat=v3"));
    QEMU_IMG.with("snapshot", "-c", "s", image).bytes();
    write("write -P 9 1M 3M", "write -P 7 30M 64k");
    assertImported(2, Files.readAllBytes(image));
  }

  @ParameterizedTest
  @ValueSource(strings = {"falloc", "full"})
  void preallocatedImage(String preallocation) throws IOException {
    QEMU_IMG
        .with(
            "create",
            "-f",
            "qcow2",
            "-o",
            "cluster_size=4k,preallocation=" + preallocation,
            image,
            "48M")
        .bytes();
    QEMU_IMG.with("convert", "-n", "-f", "raw", "-O", "qcow2", raw, image).bytes();
    assertImported(2, Files.readAllBytes(image));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-c"})
  void ordinaryImageIsReadOnce(String compression) throws IOException {
    assertImported(
        1, qcow2(compression.isEmpty() ? List.of() : List.of("-c", "-o", "cluster_size=64k")));
  }

  @Test
  @Tag("nightly")
  void wrappedImageIsUnwrappedAgain() throws IOException {
    resized();
    byte[] tar = Command.of("tar", "-c", "image.qcow2").bytesIn(home);
    assertImported(2, Command.of("zstd", "-1", "-c").bytes(tar));
    assertImported(2, Command.of("gzip", "-1", "-c").bytes(tar));
  }

  @Test
  void rawImageIsReadOnce() throws IOException {
    try (LoopVolume volume = LoopVolume.make(48L * MIB)) {
      Counted source = new Counted(Files.readAllBytes(raw));
      run(source, volume, ImportListener.NONE);
      assertEquals(1, source.opened);
      QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, volume.backing()).bytes();
    }
  }

  @Test
  void directoryStagesAndReadsOnce() throws IOException {
    Counted source = new Counted(resized());
    Path volume = Files.createDirectory(home.resolve("volume"));
    try (VolumeWriter writer = VolumeTarget.of(volume).open(WriteOptions.DEFAULTS)) {
      ImportedImage found = DiskImport.run(source, writer, Optional.empty(), ImportListener.NONE);
      writer.publish(Origin.digest(""), found.format());
    }
    assertEquals(1, source.opened);
    assertEquals(0, source.open);
    QEMU_IMG.with("compare", "-f", "qcow2", "-F", "raw", image, volume.resolve("disk.img")).bytes();
  }

  @Test
  void imageThatNeedsQemuImgIsRefused() throws IOException {
    QEMU_IMG.with("convert", "-f", "raw", "-O", "vmdk", raw, image).bytes();
    Counted source = new Counted(Files.readAllBytes(image));
    refused(UnsupportedFeatureException.class, source, 600L * MIB);
    assertEquals(1, source.opened);
  }

  @Test
  void sourceThatFailsWhenItIsReadAgainLeavesNoDisk() throws IOException {
    byte[] bytes = resized();
    IOException reason = new IOException("The connection was lost");
    for (int at : new int[] {0, 100, bytes.length / 2, bytes.length}) {
      Counted source =
          new Counted(bytes) {
            @Override
            InputStream stream(int pass) {
              InputStream whole = super.stream(pass);
              return pass == 1
                  ? whole
                  : new SequenceInputStream(
                      new ByteArrayInputStream(bytes, 0, at),
                      new FilterInputStream(whole) {
                        @Override
                        public int read(byte[] target, int offset, int length) throws IOException {
                          throw reason;
                        }
                      });
            }
          };
      assertSame(reason, refused(IOException.class, source, 600L * MIB));
      assertEquals(2, source.opened);
      assertEquals(0, source.open);
    }
  }

  @Test
  void sourceThatGivesOtherBytesWhenItIsReadAgainLeavesNoDisk() throws IOException {
    byte[] bytes = resized();
    byte[] otherData = bytes.clone();
    otherData[bytes.length / 2] ^= 1;
    byte[] otherGarbage = Arrays.copyOf(bytes, bytes.length);
    otherGarbage[bytes.length - 1] ^= 1;
    for (byte[] second :
        List.of(
            otherData,
            otherGarbage,
            Arrays.copyOf(bytes, bytes.length - 1),
            Arrays.copyOf(bytes, bytes.length + 1),
            Arrays.copyOf(bytes, 30 * MIB),
            Files.readAllBytes(raw),
            Command.of("gzip", "-1", "-c").bytes(bytes),
            new byte[0])) {
      Counted source =
          new Counted(bytes) {
            @Override
            InputStream stream(int pass) {
              return new ByteArrayInputStream(pass == 1 ? bytes : second);
            }
          };
      refused(MalformedImageException.class, source, 600L * MIB);
      assertEquals(2, source.opened);
    }
  }

  private static <E extends IOException> E refused(Class<E> type, Counted source, long size)
      throws IOException {
    try (LoopVolume volume = LoopVolume.make(size)) {
      E thrown = assertThrows(type, () -> run(source, volume, ImportListener.NONE));
      try (InputStream device = Files.newInputStream(volume.device())) {
        assertArrayEquals(new byte[MIB], device.readNBytes(MIB));
      }
      assertFalse(VolumeTarget.of(volume.device()).occupied());
      return thrown;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void cancelIsNoticedInEachPass(int cancelled) throws IOException {
    byte[] bytes = resized();
    try (LoopVolume volume = LoopVolume.make(600L * MIB);
        VolumeWriter writer = VolumeTarget.of(volume.device()).open(WriteOptions.DEFAULTS)) {
      // The first pass writes nothing, so no write detects the cancellation.
      Counted source =
          new Counted(bytes) {
            @Override
            InputStream stream(int pass) {
              return new FilterInputStream(super.stream(pass)) {
                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                  if (pass == cancelled && available() < bytes.length / 2) {
                    writer.cancel();
                  }
                  return super.read(target, offset, length);
                }
              };
            }
          };
      assertThrows(
          InterruptedIOException.class,
          () -> DiskImport.run(source, writer, Optional.empty(), ImportListener.NONE));
      assertEquals(cancelled, source.opened);
      assertEquals(0, source.open);
    }
  }

  @Test
  @Tag("nightly")
  void largeDiskTakesLittleMemory() throws IOException, InterruptedException {
    resized(List.of("-o", "compat=v3"), "64G");
    Path gzipped = home.resolve("image.gz");
    Files.write(gzipped, Command.of("gzip", "-1", "-c").bytes(Files.readAllBytes(image)));
    try (LoopVolume volume = LoopVolume.make(64L << 30)) {
      Path output = home.resolve("output");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx64m",
                  "-XX:+UseSerialGC",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  System.getProperty("java.class.path"),
                  ImportOfFile.class.getName(),
                  gzipped.toString(),
                  volume.device().toString())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      assertTrue(process.waitFor(5, TimeUnit.MINUTES), "still running");
      assertEquals(0, process.exitValue(), Files.readString(output));
      QEMU_IMG.with("compare", "-f", "qcow2", "-F", "raw", image, volume.backing()).bytes();
    }
  }
}

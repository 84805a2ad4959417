package dev.pvcpopulators.it.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Strace;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the memory, the written bytes and the opened files of uploads. The longest upload has 320
/// MiB (4 GiB in nightly runs). `run.sh` gives the JVM 128 MiB of heap.
@Tag("tools")
final class FootprintTest {
  private static final long LENGTH = (long) Rounds.of(320, 4 << 10) << 20;
  private static final int BLOCK = 1 << 20;

  /// The length of a short upload in bytes. The upload does not fit into the heap.
  private static final long SHORT = 192L << 20;

  private static final long MAX_RESIDENT = 256L << 20;
  private static final double MAX_WRITTEN = 1.02;
  private static final Seed SEED = Seed.of("FootprintTest");

  private static Path work;
  private static Path source;

  @BeforeAll
  static void makeSource(@TempDir Path directory) throws IOException {
    work = directory;
    // The source is a sparse file in memory, so that reads do not use the disk.
    source = Files.createTempFile(Path.of("/dev/shm"), "it-source", ".raw");
    writeSource();
  }

  @AfterAll
  static void removeSource() throws IOException {
    Files.delete(source);
  }

  /// Writes pieces of 1 to 16 MiB. About a quarter of the pieces contain incompressible data. The
  /// other pieces are holes.
  private static void writeSource() throws IOException {
    Random random = SEED.random();
    byte[] data = new byte[BLOCK];
    random.nextBytes(data);
    try (FileChannel channel = FileChannel.open(source, StandardOpenOption.WRITE)) {
      long position = 0;
      while (position < LENGTH) {
        int blocks = 1 + random.nextInt(16);
        boolean hole = random.nextInt(4) != 0;
        for (int i = 0; i < blocks && position < LENGTH; i++, position += BLOCK) {
          if (!hole) {
            // Changing one byte makes the block unique, and is faster than generating random data.
            data[random.nextInt(BLOCK)]++;
            channel.write(ByteBuffer.wrap(data), position);
          }
        }
      }
      channel.write(ByteBuffer.wrap(new byte[] {1}), LENGTH - 1);
    }
  }

  @Test
  void memoryAndWrittenBytesAreBounded() throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "with-length");
    try (Service service = Launch.on(volume.path()).shipped().start()) {
      long before = service.writtenBytes();
      Curl.upload(source, service.uri("/upload/")).expect(201);
      long written = service.writtenBytes() - before;
      long allocated = VolumeDirectory.allocated(volume.disk());
      assertTrue(
          written <= allocated * MAX_WRITTEN, () -> "wrote " + written + " for " + allocated);
      assertResident(service);
      Command.run("cmp", source.toString(), volume.disk().toString());
      volume.assertOneDisk();
      service.http().delete("/volume").expect(204);
    }
  }

  @Test
  void nothingIsWrittenOutsideTheVolume() throws IOException, InterruptedException {
    VolumeDirectory volume = VolumeDirectory.in(work, "chunked");
    Path uploaded = source;
    if (!Rounds.all()) {
      uploaded = work.resolve("short.raw");
      Command.into(uploaded, "head", "-c", Long.toString(SHORT), source.toString());
    }
    Path trace = work.resolve("trace");
    Launch launch = Launch.on(volume.path()).shipped().under(Strace.opening(trace));
    try (Service service = launch.start()) {
      Curl.uploadChunked(uploaded, service.uri("/upload/")).expect(201);
      assertResident(service);
      Command.run("cmp", uploaded.toString(), volume.disk().toString());
      service.http().delete("/volume").expect(204);
    }
    assertEquals(List.of(), Strace.openedOutside(trace, volume.path()));
  }

  private static void assertResident(Service service) throws IOException {
    long resident = service.peakResidentBytes();
    System.out.println("FootprintTest: peak resident set " + (resident >> 20) + " MiB");
    assertTrue(resident < MAX_RESIDENT, () -> "peak resident set " + resident);
  }
}

package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.LoopDevice;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Tag("tools")
// Runs alone. Otherwise, a child process of another test could inherit the open device and keep the
// device busy for a moment.
@Isolated
class KillTest {
  private static final int KILLS = 12;

  @TempDir Path temporary;

  @Test
  void killedWriterLeavesNoDiskOrACompleteOne() throws Exception {
    long seed = System.nanoTime();
    System.out.println("killedWriterLeavesNoDiskOrACompleteOne seed " + seed);
    Random random = new Random(seed);
    try (MountedFileSystem mounted =
            MountedFileSystem.make(MountedFileSystem.Kind.EXT4, 64L << 20);
        Model model = new Model(temporary.resolve("model"), 0)) {
      for (int step = 0; step < KilledWriter.STEPS; step++) {
        model.put((long) step * KilledWriter.STEP, KilledWriter.bytes(step));
      }
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      long before = mounted.free();
      for (int kill = 0; kill < KILLS; kill++) {
        // The first kills usually happen before the program publishes a disk. Later kills may
        // happen after the publication.
        killAfter(mounted.root(), true, 1 + random.nextInt(KilledWriter.STEPS * (1 + kill / 2)));
        volume.removeLeftovers();
        if (volume.occupied()) {
          Path disk = mounted.root().resolve(DirectoryVolume.DISK);
          Command.run("cmp", model.path().toString(), disk.toString());
          assertTrue(volume.recorded().isPresent());
          volume.delete();
        }
        try (var files = Files.list(mounted.root())) {
          assertEquals(0, files.filter(f -> !f.endsWith("lost+found")).count());
        }
        mounted.awaitFree(before);
      }
    }
  }

  @Test
  void killedWriterOfADeviceLeavesAFirstMibOfZeros() throws Exception {
    Path backing = temporary.resolve("backing");
    byte[] stale = new byte[16 << 20];
    new Random(1).nextBytes(stale);
    Files.write(backing, stale);
    try (LoopDevice loop = LoopDevice.over(backing)) {
      VolumeTarget volume = VolumeTarget.of(loop.device());
      assertTrue(volume.occupied());
      killAfter(loop.device(), false, KilledWriter.STEPS + 5);
      assertFalse(volume.occupied());
    }
  }

  private static void killAfter(Path target, boolean publishing, int lines) throws Exception {
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                KilledWriter.class.getName(),
                target.toString(),
                Boolean.toString(publishing))
            .redirectErrorStream(true)
            .start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (int line = 0; line < lines; line++) {
        String text = said.readLine();
        assertNotNull(text, "the writer ended by itself");
        assertTrue(text.startsWith("step") || text.startsWith("publish"), text);
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
  }
}

package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Random;

/// A program that writes the same disk repeatedly and prints a line at each step. The test that
/// starts this program kills it.
final class KilledWriter {
  static final int STEP = 256 * 1024;
  static final int STEPS = 16;
  private static final long STAGED = 4L << 20;

  private KilledWriter() {}

  /// Writes until the test kills this process.
  ///
  /// @param arguments the directory of the volume, and `true` if the program publishes the disk
  public static void main(String[] arguments) throws IOException {
    VolumeTarget volume = VolumeTarget.of(Path.of(arguments[0]));
    boolean publishing = Boolean.parseBoolean(arguments[1]);
    while (true) {
      try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
        for (int step = 0; step < STEPS; step++) {
          byte[] bytes = bytes(step);
          if (step % 4 == 3) {
            writer.staging(OptionalLong.of(STAGED)).keep((long) step * STEP, bytes, 0, STEP);
          } else {
            writer.write((long) step * STEP, bytes, 0, STEP);
          }
          say("step " + step);
        }
        for (long step = 3; step < STEPS; step += 4) {
          writer.staging(OptionalLong.of(STAGED)).moveToGuest(step * STEP, step * STEP, STEP);
        }
        if (publishing) {
          say("publishing");
          writer.publish(Origin.digest("sha256:0"), ImageFormat.RAW);
          say("published");
        }
      }
    }
  }

  static byte[] bytes(int step) {
    byte[] bytes = new byte[STEP];
    new Random(step).nextBytes(bytes);
    return bytes;
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}

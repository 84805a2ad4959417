package dev.pvcpopulators.it.disk;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// qemu-io: writes to the disk in an image, as a guest does.
public final class QemuIo {
  private static final int SECTOR = 512;
  private static final int CONTENT_LENGTH = 1 << 20;

  private QemuIo() {}

  /// Runs commands in order.
  public static void run(Path image, String format, List<String> commands)
      throws IOException, InterruptedException {
    Command.tried(commandLine(image, format, commands)).ok();
  }

  /// Runs commands in order, and then kills qemu-io, so that the image is not closed.
  public static void runAndCrash(Path image, String format, List<String> commands)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(commands);
    all.add("sigraise 9");
    Command.Ran ran = Command.tried(commandLine(image, format, all));
    if (ran.status() != 128 + 9) {
      throw new AssertionError("Expected that SIGKILL ends qemu-io: " + ran);
    }
  }

  private static List<String> commandLine(Path image, String format, List<String> commands) {
    List<String> line = new ArrayList<>(List.of("qemu-io", "-f", format));
    for (String command : commands) {
      line.add("-c");
      line.add(command);
    }
    line.add(image.toString());
    return line;
  }

  /// Fills a file with 1 MiB of incompressible bytes, and returns the file's path. The command
  /// `write -s` of qemu-io copies the bytes of a file into the image.
  public static Path incompressible(Path file, Random random) throws IOException {
    byte[] bytes = new byte[CONTENT_LENGTH];
    random.nextBytes(bytes);
    return Files.write(file, bytes);
  }

  /// Returns commands that write, zero and discard at random places.
  ///
  /// @param content a file that [#incompressible] has filled
  /// @param length the length of the disk in bytes
  /// @param count the number of commands
  /// @param longest the maximum length of a command's range in bytes, at least 512
  public static List<String> guestWrites(
      Random random, Path content, long length, int count, int longest) {
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int size = SECTOR * (1 + random.nextInt(longest / SECTOR));
      long offset = SECTOR * random.nextLong((length - size) / SECTOR + 1);
      int kind = random.nextInt(10);
      if (kind < 6) {
        commands.add("write -q -s " + content + " " + offset + " " + size);
      } else if (kind < 7) {
        commands.add("write -q -P " + random.nextInt(1, 256) + " " + offset + " " + size);
      } else if (kind < 9) {
        commands.add("write -q -z " + offset + " " + size);
      } else {
        commands.add("discard -q " + offset + " " + size);
      }
    }
    return commands;
  }

  /// Returns commands that write at random places. The commands free no cluster. Therefore the
  /// image has no free space before its data. If qemu-img adds a table later, the table follows the
  /// data.
  ///
  /// @param content a file that [#incompressible] has filled
  /// @param length the length of the disk in bytes
  /// @param count the number of commands
  /// @param longest the maximum length of a write in bytes, at least 512
  public static List<String> onlyWrites(
      Random random, Path content, long length, int count, int longest) {
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int size = SECTOR * (1 + random.nextInt(longest / SECTOR));
      long offset = SECTOR * random.nextLong((length - size) / SECTOR + 1);
      commands.add("write -q -s " + content + " " + offset + " " + size);
    }
    return commands;
  }
}

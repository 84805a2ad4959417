package dev.pvcpopulators.it.disk;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// qemu-img: makes, converts and compares images.
public final class QemuImg {
  private QemuImg() {}

  /// Makes an image.
  ///
  /// @param options the format's options for `-o`; may be empty
  /// @param size the size of the disk in qemu-img's notation, such as `64M`
  public static void create(Path image, String format, String options, String size)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("qemu-img", "create", "-q", "-f", format));
    if (!options.isEmpty()) {
      command.addAll(List.of("-o", options));
    }
    command.addAll(List.of(image.toString(), size));
    Command.tried(command).ok();
  }

  /// Runs a subcommand that must succeed, and returns its standard output.
  public static String run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("qemu-img"));
    command.addAll(List.of(arguments));
    return Command.tried(command).ok().out();
  }

  public static void toRaw(Path image, String format, Path raw)
      throws IOException, InterruptedException {
    run("convert", "-f", format, "-O", "raw", image.toString(), raw.toString());
  }

  /// Converts an image to raw; qemu-img detects the format. Returns false if qemu-img refuses the
  /// image.
  public static boolean triesToRaw(Path image, Path raw) throws IOException, InterruptedException {
    return Command.tried(
                List.of("qemu-img", "convert", "-O", "raw", image.toString(), raw.toString()))
            .status()
        == 0;
  }

  /// Fails the test if the two images contain different disks. If one disk is longer, its
  /// additional bytes must be zeros.
  public static void assertIdentical(Path image, String format, Path raw)
      throws IOException, InterruptedException {
    run("compare", "-q", "-f", format, "-F", "raw", image.toString(), raw.toString());
  }

  public static boolean identical(Path raw, Path otherRaw)
      throws IOException, InterruptedException {
    Command.Ran ran =
        Command.tried(
            List.of(
                "qemu-img",
                "compare",
                "-f",
                "raw",
                "-F",
                "raw",
                raw.toString(),
                otherRaw.toString()));
    if (ran.status() > 1) {
      throw new AssertionError(ran.toString());
    }
    return ran.status() == 0;
  }
}

package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;
import java.nio.file.Path;

/// A loop device over a file; closing detaches it.
public record LoopDevice(Path device) implements AutoCloseable {
  public static LoopDevice over(Path file) throws IOException {
    return new LoopDevice(
        Path.of(
            Command.run(
                "flock", "/dev/loop-control", "losetup", "--find", "--show", file.toString())));
  }

  @Override
  public void close() throws IOException {
    Command.run("losetup", "--detach", device.toString());
  }
}

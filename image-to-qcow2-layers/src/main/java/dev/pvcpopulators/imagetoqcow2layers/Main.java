package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.volume.job.Launcher;
import dev.pvcpopulators.volume.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;

/// The process.
@QuarkusMain
public final class Main {
  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(
        new Service(
            "image-to-qcow2-layers",
            "Turns a container image into a bootable stack of qcow2 files, one a layer.",
            List.of(),
            List.of()),
        arguments);
  }
}

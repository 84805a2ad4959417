package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.volume.job.Launcher;
import dev.pvcpopulators.volume.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;

/// The process.
@QuarkusMain
public final class Main {
  /// As its command line and its documents present it.
  public static final Service SERVICE =
      new Service(
          "http-upload",
          "Takes a disk image by HTTP PUT and writes it, as it arrives, into a volume.",
          List.of(HttpUploadSettings.class));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}

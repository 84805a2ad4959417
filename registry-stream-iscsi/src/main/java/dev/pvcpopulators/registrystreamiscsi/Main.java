package dev.pvcpopulators.registrystreamiscsi;

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
          "registry-stream-iscsi",
          "Exports the disks in container images as LUNs of an iSCSI target, readable before the"
              + " pull has ended.",
          List.of(RegistryStreamIscsiSettings.class),
          List.of());

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}

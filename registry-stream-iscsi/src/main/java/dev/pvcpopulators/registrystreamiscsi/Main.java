package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.kit.job.Launcher;
import dev.pvcpopulators.kit.job.Service;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;

/// The entry point of the service's process.
@QuarkusMain
public final class Main {
  /// The service's name and description, for its command line and documentation.
  public static final Service SERVICE =
      new Service(
          "registry-stream-iscsi",
          "Exports the disks in container images as LUNs of an iSCSI target, readable before the"
              + " pull has ended.",
          List.of(RegistryStreamIscsiSettings.class),
          List.of(),
          new Service.Guide(
              List.of(
                  new Service.Often("REGISTRY_STREAM_ISCSI_IMAGE", "REGISTRY/REPOSITORY:TAG"),
                  new Service.Often("REGISTRY_STREAM_ISCSI_PORT", "TCP port of iSCSI"),
                  new Service.Often("REGISTRY_STREAM_ISCSI_ACCESS_MODE", "who may use the LUN"),
                  new Service.Often("REGISTRY_STREAM_ISCSI_COPY_MODE", "where writes go"),
                  new Service.Often("POPULATOR_TARGET", "the directory of pulled images")),
              List.of(
                  "mkdir -p cache; export POPULATOR_TARGET=$PWD/cache QUARKUS_HTTP_HOST=127.0.0.1",
                  "REGISTRY_STREAM_ISCSI_IMAGE=quay.io/containerdisks/fedora:41 \\",
                  "  registry-stream-iscsi/run.sh",
                  "curl -X PUT http://127.0.0.1:8080/volume"),
              "curl -X PUT {url}/volume"));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}

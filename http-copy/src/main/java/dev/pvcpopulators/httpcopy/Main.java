package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.kit.disk.CopiedDisk;
import dev.pvcpopulators.kit.job.Launcher;
import dev.pvcpopulators.kit.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;
import java.util.Map;

/// The entry point of the service's process.
@QuarkusMain
public final class Main {
  /// The description of the service for its command line and its documents.
  public static final Service SERVICE =
      new Service(
          "http-copy",
          "Downloads a disk from a URL and writes it into a volume while it arrives.",
          List.of(HttpCopySettings.class),
          List.of(
              new Service.Flag(
                  "--dry-run",
                  "shows the planned copy and whether it fits; writes nothing",
                  Map.of(CopiedDisk.DRY_RUN, "true"),
                  DryRun.class)),
          new Service.Guide(
              List.of(
                  new Service.Often("HTTP_COPY_URL", "https://HOST/FILE"),
                  new Service.Often("HTTP_COPY_SHA256", "checksum; or HTTP_COPY_SHA512"),
                  new Service.Often("HTTP_COPY_CHECKSUMS_URL", "SHA256SUMS, SHA512SUMS, CHECKSUM"),
                  new Service.Often("POPULATOR_TARGET", "a directory, or a block device"),
                  new Service.Often("POPULATOR_OVERWRITE", "replace an existing disk")),
              List.of(
                  "mkdir -p volume; export POPULATOR_TARGET=$PWD/volume",
                  "images=https://cloud.debian.org/images/cloud/bookworm/latest",
                  "export HTTP_COPY_URL=$images/debian-12-generic-amd64.qcow2",
                  "export HTTP_COPY_CHECKSUMS_URL=$images/SHA512SUMS",
                  "http-copy/run.sh --dry-run",
                  "http-copy/run.sh --once"),
              "curl -X PUT {url}/volume"));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}

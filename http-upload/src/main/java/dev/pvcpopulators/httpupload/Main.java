package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.kit.job.Launcher;
import dev.pvcpopulators.kit.job.Service;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.List;

/// The entry point of the service's process.
@QuarkusMain
public final class Main {
  /// The description of the service for its command line and its documentation.
  public static final Service SERVICE =
      new Service(
          "http-upload",
          "Receives a disk image by HTTP PUT and writes it into a volume while it arrives.",
          List.of(HttpUploadSettings.class),
          List.of(),
          new Service.Guide(
              List.of(
                  new Service.Often("POPULATOR_TARGET", "a directory, or a block device"),
                  new Service.Often("POPULATOR_CLAIM_NAME", "the answer of PUT /volume"),
                  new Service.Often("POPULATOR_TOKEN_FILE", "the bearer token"),
                  new Service.Often("POPULATOR_OVERWRITE", "replace an existing disk"),
                  new Service.Often("HTTP_UPLOAD_RESUME_WINDOW", "how long it can be resumed")),
              List.of(
                  "mkdir -p volume; POPULATOR_TARGET=volume QUARKUS_HTTP_HOST=127.0.0.1 \\",
                  "  http-upload/run.sh            # --once: receives one upload and ends",
                  "curl --fail-with-body -T disk.qcow2 http://127.0.0.1:8080/upload"),
              "curl --fail-with-body -T disk.qcow2 {url}/upload"));

  private Main() {}

  public static void main(String... arguments) {
    Launcher.launch(SERVICE, arguments);
  }
}

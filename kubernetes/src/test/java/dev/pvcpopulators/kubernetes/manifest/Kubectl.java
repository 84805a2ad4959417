package dev.pvcpopulators.kubernetes.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Runs the `kubectl` that is on the PATH, without a cluster.
public final class Kubectl {
  /// The first minor version of kubectl 1 whose kustomize (5.0) supports everything that the
  /// manifests use.
  private static final int OLDEST_MINOR = 27;

  private Kubectl() {}

  /// Fails if kubectl is older than 1.27. An older kubectl misreads the manifests instead of
  /// refusing them.
  public static void expectRecent() throws IOException {
    String out =
        Command.tried(List.of("kubectl", "version", "--client", "--output=yaml")).ok().out();
    JsonNode version = StrictYaml.documents(out).getFirst().path("clientVersion");
    int minor = Integer.parseInt(version.path("minor").asText().replaceAll("[^0-9]", ""));
    if (!version.path("major").asText().equals("1") || minor < OLDEST_MINOR) {
      throw new AssertionError(
          "Rendering manifests: expected kubectl 1."
              + OLDEST_MINOR
              + " or newer, found "
              + version);
    }
  }

  /// Runs `kubectl kustomize`, which prints the objects that `kubectl apply -k` applies.
  public static Command.Ran kustomize(Path directory) throws IOException {
    return Command.tried(List.of("kubectl", "kustomize", directory.toString()));
  }
}

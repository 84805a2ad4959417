package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.cluster.ControlPlane;
import dev.pvcpopulators.it.cluster.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The packaged operator, as a process with the rights of the account that its manifests give it.
/// Closing it kills it.
final class OperatorProcess implements AutoCloseable {
  /// Its name in the audit log.
  static final String USER = "system:serviceaccount:pvc-populators:operator";

  private final ServerProcess process;

  private OperatorProcess(ServerProcess process) {
    this.process = process;
  }

  /// Applies the manifests and starts it; returns when its watches have what the cluster has.
  ///
  /// @param environment `OPERATOR_ENVIRONMENT`
  static OperatorProcess start(ControlPlane plane, String environment)
      throws IOException, InterruptedException {
    String admin = "--kubeconfig=" + plane.admin();
    Command.run(
        "kubectl",
        admin,
        "apply",
        // Kubernetes 1.20 knows no CEL.
        "--validate=false",
        // The Deployment is all that has the label.
        "--selector=app.kubernetes.io/name!=operator",
        "-k",
        Command.root().resolve("kubernetes/operator").toString());
    String token =
        Command.run("kubectl", admin, "create", "token", "operator", "--namespace=pvc-populators")
            .strip();
    Path kubeconfig = plane.kubeconfig("operator", token);
    int port = FreePort.any();
    ServerProcess process =
        ServerProcess.start(
            kubeconfig.resolveSibling("operator.log"),
            List.of(
                "env",
                "KUBECONFIG=" + kubeconfig,
                "QUARKUS_HTTP_HOST=127.0.0.1",
                "QUARKUS_HTTP_PORT=" + port,
                "OPERATOR_ENVIRONMENT=" + environment,
                Command.root().resolve("operator/run.sh").toString()));
    try {
      process.awaitReady(() -> ready(port));
    } catch (IOException | InterruptedException | AssertionError e) {
      process.close();
      throw e;
    }
    return new OperatorProcess(process);
  }

  private static boolean ready(int port) throws IOException {
    return Command.tried(
                List.of(
                    "curl",
                    "-sf",
                    "--max-time",
                    "10",
                    "http://127.0.0.1:%d/q/health/ready".formatted(port)))
            .status()
        == 0;
  }

  /// The last lines of its log.
  String tail() throws IOException {
    return process.tail();
  }

  /// Ends it as a kubelet does, by SIGTERM.
  ///
  /// @return its exit code
  int terminate() throws IOException, InterruptedException {
    return process.terminate();
  }

  @Override
  public void close() {
    process.close();
  }
}

package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.ServerProcess;
import dev.pvcpopulators.it.cluster.ControlPlane;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The packaged operator as a process. The operator has the rights of the account in its manifests.
final class OperatorProcess implements AutoCloseable {
  /// The operator's user name in the audit log.
  static final String USER = "system:serviceaccount:pvc-populators:operator";

  private static final String MANIFESTS = "kubernetes/examples/operator";

  private final ServerProcess process;
  private final int port;

  private OperatorProcess(ServerProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /// Applies the operator's manifests, except the Deployment and the Service.
  ///
  /// @return a token of the operator's account
  static String install(ControlPlane plane) throws IOException {
    String admin = "--kubeconfig=" + plane.admin();
    Command.run(
        "kubectl",
        admin,
        "apply",
        // kubectl must not validate the fields for CEL rules, because Kubernetes 1.20 does not know
        // these fields.
        "--validate=false",
        // Only the Deployment and the Service have this label with the value `operator`.
        "--selector=app.kubernetes.io/name!=operator",
        "-k",
        Command.root().resolve(MANIFESTS).toString());
    return Command.run(
            "kubectl",
            admin,
            "create",
            "token",
            "operator",
            "--namespace=pvc-populators",
            "--duration=24h")
        .strip();
  }

  /// Starts the operator. This method does not wait until the operator is ready.
  ///
  /// @param settings the environment variables of the operator
  static OperatorProcess start(Path log, Path kubeconfig, Map<String, String> settings)
      throws IOException {
    int port = FreePort.any();
    List<String> command =
        new ArrayList<>(
            List.of(
                "env",
                "KUBECONFIG=" + kubeconfig,
                "QUARKUS_HTTP_HOST=127.0.0.1",
                "QUARKUS_HTTP_PORT=" + port));
    settings.forEach((name, value) -> command.add(name + "=" + value));
    command.add(Command.root().resolve("operator/run.sh").toString());
    return new OperatorProcess(ServerProcess.start(log, command), port);
  }

  /// Waits until the operator's watches are synchronized with the cluster.
  void awaitReady() throws IOException, InterruptedException {
    // This method sends about fifty requests. With curl, each request would need its own process.
    Http http = http();
    process.awaitReady(() -> {
      try {
        return http.get("/q/health/ready").status() == HttpURLConnection.HTTP_OK;
      } catch (IOException _) {
        return false;
      }
    });
  }

  private Http http() {
    return new Http(URI.create("http://127.0.0.1:" + port));
  }

  /// Returns the operator's metrics in the text format of Prometheus.
  String metrics() throws IOException, InterruptedException {
    return http().get("/q/metrics").expect(HttpURLConnection.HTTP_OK).text();
  }

  boolean alive() {
    return process.alive();
  }

  /// Runs an action on another thread when the process has ended.
  void whenEnded(Runnable action) {
    process.whenEnded(action);
  }

  /// Returns the peak resident memory in bytes.
  long mostResidentBytes() throws IOException {
    return process.mostResidentBytes();
  }

  /// Returns the last lines of the log.
  String tail() throws IOException {
    return process.tail();
  }

  /// Stops the process with SIGTERM, as a kubelet does.
  ///
  /// @return its exit code
  int terminate() throws IOException, InterruptedException {
    return process.terminate();
  }

  /// Kills the process with SIGKILL.
  @Override
  public void close() {
    process.close();
  }
}

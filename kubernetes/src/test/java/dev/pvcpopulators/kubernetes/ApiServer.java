package dev.pvcpopulators.kubernetes;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// A real kube-apiserver with its own etcd, on a loopback address. The server uses RBAC and the
/// default admission plug-ins, such as PodSecurity and ServiceAccount. No controller runs.
final class ApiServer implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
  private static final int RSA_BITS = 2_048;

  private final Path binaries;
  private final Path directory;
  private final String token = UUID.randomUUID().toString();
  private final int port;
  private final List<Process> processes = new ArrayList<>();

  private ApiServer(Path binaries, Path directory) throws IOException {
    this.binaries = binaries;
    this.directory = directory;
    this.port = FreePort.any();
  }

  /// Starts etcd and the API server, and waits until the API server is ready.
  ///
  /// @param binaries the directory with `etcd`, `kube-apiserver` and `kubectl`
  /// @param directory an empty directory, which the caller removes
  static ApiServer start(Path binaries, Path directory) throws IOException {
    ApiServer server = new ApiServer(binaries, directory);
    try {
      server.startAll();
      return server;
    } catch (IOException | GeneralSecurityException | InterruptedException e) {
      server.close();
      throw new IOException("Starting a kube-apiserver of " + binaries, e);
    } catch (AssertionError e) {
      server.close();
      throw e;
    }
  }

  /// Returns the version of the API server, such as `Kubernetes v1.36.2`.
  static String version(Path binaries) throws IOException {
    return Command.tried(List.of(binaries.resolve("kube-apiserver").toString(), "--version"))
        .ok()
        .out()
        .strip();
  }

  /// Runs kubectl as an administrator.
  Command.Ran kubectl(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                binaries.resolve("kubectl").toString(),
                "--kubeconfig=/dev/null",
                "--cache-dir=" + directory.resolve("cache"),
                "--server=https://" + LOOPBACK + ":" + port,
                "--certificate-authority=" + directory.resolve("certificates/apiserver.crt"),
                "--token=" + token));
    command.addAll(List.of(arguments));
    return Command.tried(command);
  }

  /// Writes a manifest to a file in the server's directory.
  Path file(String manifest) throws IOException {
    return Files.writeString(Files.createTempFile(directory, "manifest", ".yaml"), manifest);
  }

  @Override
  public void close() {
    for (Process process : processes.reversed()) {
      process.destroy();
      process.onExit().join();
    }
  }

  private void startAll() throws IOException, GeneralSecurityException, InterruptedException {
    int client = FreePort.any();
    int peer = FreePort.any();
    String etcd = "http://" + LOOPBACK + ":" + client;
    run(
        "etcd",
        "--data-dir=" + directory.resolve("etcd"),
        "--listen-client-urls=" + etcd,
        "--advertise-client-urls=" + etcd,
        "--listen-peer-urls=http://" + LOOPBACK + ":" + peer,
        "--unsafe-no-fsync");
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(RSA_BITS);
    KeyPair pair = generator.generateKeyPair();
    Path signing = pem("signing", "PRIVATE KEY", pair.getPrivate());
    Path tokens =
        Files.writeString(directory.resolve("tokens"), token + ",tests,tests,\"system:masters\"\n");
    Process server =
        run(
            "kube-apiserver",
            "--etcd-servers=" + etcd,
            "--bind-address=" + LOOPBACK,
            "--advertise-address=" + LOOPBACK,
            "--secure-port=" + port,
            "--cert-dir=" + directory.resolve("certificates"),
            "--token-auth-file=" + tokens,
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-account-key-file=" + pem("verifying", "PUBLIC KEY", pair.getPublic()),
            "--service-account-signing-key-file=" + signing,
            "--service-cluster-ip-range=10.96.0.0/16",
            "--endpoint-reconciler-type=none",
            // With `--allow-privileged=false`, the default, the server refuses privileged pods
            // before the plug-in PodSecurity checks the pods.
            "--allow-privileged=true");
    awaitReady(server);
  }

  private void awaitReady(Process server) throws IOException, InterruptedException {
    Instant end = Instant.now().plus(PATIENCE);
    while (kubectl("get", "--raw=/readyz").status() != 0) {
      boolean ended = server.waitFor(BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
      if (ended || Instant.now().isAfter(end)) {
        throw new AssertionError(
            "The API server "
                + (ended ? "ended" : "is not ready within " + PATIENCE)
                + "\n"
                + Files.readString(directory.resolve("kube-apiserver.log")));
      }
    }
  }

  private Process run(String program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(binaries.resolve(program).toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(program + ".log").toFile())
            .start();
    processes.add(process);
    return process;
  }

  private Path pem(String name, String type, Key key) throws IOException {
    String text = Base64.getMimeEncoder().encodeToString(key.getEncoded());
    return Files.writeString(
        directory.resolve(name + ".pem"),
        "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }
}

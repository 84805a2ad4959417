package dev.pvcpopulators.it.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// The real servers of Kubernetes on the loopback address: etcd, kube-apiserver with RBAC and an
/// audit log, kube-controller-manager with the volume binder and the garbage collector, and
/// kube-scheduler. There is no kubelet. [#close] kills all servers.
public final class ControlPlane implements AutoCloseable {
  private static final String MASTERS = "system:masters";
  private static final String API_SERVER = "kube-apiserver";
  private static final String ETCD = "etcd";

  /// The pause between two checks for readiness. The pause is long, because each check starts a
  /// program, and the API server needs several seconds to start.
  private static final Duration PAUSE = Duration.ofMillis(200);

  /// Since version 1.33, Kubernetes accepts data sources of any kind without a feature gate.
  private static final int ANY_SOURCE = 33;

  /// Before version 1.24, Kubernetes has the option `--port`, which opens a port without TLS.
  /// Version 1.24 and later versions do not have this option.
  private static final int NO_PLAIN_PORT = 24;

  private final Path directory;
  private final KubernetesBinaries binaries;
  private final String certificate;
  private final String address;
  private final List<ServerProcess> servers = new ArrayList<>();
  private final String token = UUID.randomUUID().toString();
  private boolean closed;

  private ControlPlane(Path directory, KubernetesBinaries binaries) throws IOException {
    this.directory = directory;
    this.binaries = binaries;
    this.certificate = directory.resolve("server.crt").toString();
    this.address = "https://127.0.0.1:" + FreePort.any();
  }

  /// Starts all servers.
  ///
  /// @param directory an empty directory for keys, data and logs
  public static ControlPlane start(Path directory) throws IOException, InterruptedException {
    ControlPlane plane = new ControlPlane(directory, KubernetesBinaries.found());
    try {
      plane.begin();
    } catch (IOException | InterruptedException | AssertionError e) {
      plane.close();
      throw e;
    }
    return plane;
  }

  private void begin() throws IOException, InterruptedException {
    issue();
    String etcd = etcd();
    apiServer(etcd);
    Path admin = kubeconfig("admin", token);
    restarted(
        "kube-controller-manager",
        "--kubeconfig=" + admin,
        "--leader-elect=false",
        "--secure-port=0",
        "--service-account-private-key-file=" + directory.resolve("accounts.key"),
        "--root-ca-file=" + certificate,
        // The default limit, 20 requests per second, is for clusters with many users.
        "--kube-api-qps=1000",
        "--kube-api-burst=2000",
        // A resync detects claims that lost their volume. The default interval is 15 s.
        "--pvclaimbinder-sync-period=1s",
        // The node of the tests sends no heartbeats.
        "--node-monitor-grace-period=24h");
    restarted(
        "kube-scheduler",
        "--kubeconfig=" + admin,
        "--kube-api-qps=1000",
        "--kube-api-burst=2000",
        "--leader-elect=false",
        "--secure-port=0");
  }

  private void issue() throws IOException {
    PrivateAuthority.selfSigned(
        "kube-apiserver",
        "subjectAltName=IP:127.0.0.1,DNS:localhost",
        directory.resolve("server.key"),
        Path.of(certificate));
    Command.run("openssl", "genrsa", "-out", directory.resolve("accounts.key").toString(), "2048");
    Files.writeString(
        directory.resolve("tokens.csv"), "%s,admin,admin,%s\n".formatted(token, MASTERS));
    Files.writeString(
        directory.resolve("audit-policy.yaml"),
        """
        apiVersion: audit.k8s.io/v1
        kind: Policy
        omitStages: [RequestReceived]
        rules:
          - level: Metadata
        """);
  }

  private String etcd() throws IOException, InterruptedException {
    String clients = "http://127.0.0.1:" + FreePort.any();
    String peers = "http://127.0.0.1:" + FreePort.any();
    // The etcd of Debian is too old for new API servers.
    Path own = binaries.directory().resolve(ETCD);
    String program = Files.isExecutable(own) ? own.toString() : ETCD;
    ServerProcess etcd =
        ServerProcess.start(
            directory.resolve("etcd.log"),
            List.of(
                program,
                "--data-dir=" + directory.resolve("etcd"),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=default=" + peers));
    servers.add(etcd);
    etcd.awaitReady(PAUSE, () -> answers(clients + "/health", "true"));
    return clients;
  }

  private void apiServer(String etcd) throws IOException, InterruptedException {
    Path accounts = directory.resolve("accounts.key");
    ServerProcess server =
        server(
            API_SERVER,
            "--etcd-servers=" + etcd,
            "--bind-address=127.0.0.1",
            "--secure-port=" + address.substring(address.lastIndexOf(':') + 1),
            "--tls-cert-file=" + certificate,
            "--tls-private-key-file=" + directory.resolve("server.key"),
            "--token-auth-file=" + directory.resolve("tokens.csv"),
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--service-account-key-file=" + accounts,
            "--service-account-signing-key-file=" + accounts,
            "--service-cluster-ip-range=10.96.0.0/16",
            "--endpoint-reconciler-type=none",
            "--audit-policy-file=" + directory.resolve("audit-policy.yaml"),
            "--audit-log-path=" + auditLog(),
            // The unit of --audit-log-maxsize is megabytes. The log must not rotate, because the
            // tests read the whole log.
            "--audit-log-maxsize=100000");
    server.awaitReady(PAUSE, () -> answers(address + "/readyz", "ok"));
  }

  /// Starts a server. Restarts the server after each end, as a kubelet does for a static pod. The
  /// controller manager and the scheduler end if the API server is not healthy within ten seconds.
  private synchronized void restarted(String program, String... arguments) throws IOException {
    if (closed) {
      return;
    }
    server(program, arguments)
        .whenEnded(() -> {
          try {
            restarted(program, arguments);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private synchronized ServerProcess server(String program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(binaries.program(program)));
    command.addAll(List.of(arguments));
    command.add(
        "--feature-gates="
            + (binaries.since(ANY_SOURCE)
                ? "CrossNamespaceVolumeDataSource=true"
                : "AnyVolumeDataSource=true"));
    if (!binaries.since(NO_PLAIN_PORT) && !program.equals(API_SERVER)) {
      command.add("--port=0");
    }
    ServerProcess server = ServerProcess.start(directory.resolve(program + ".log"), command);
    servers.add(server);
    return server;
  }

  private boolean answers(String url, String expected) throws IOException {
    return Command.tried(
            List.of("curl", "-sk", "-H", "Authorization: Bearer " + token, "--max-time", "10", url))
        .out()
        .contains(expected);
  }

  /// Writes a kubeconfig with a bearer token, and returns the path of the file.
  ///
  /// @param name the name of the user in the file, and the name of the file without its suffix
  public Path kubeconfig(String name, String bearer) throws IOException {
    return kubeconfig(name, bearer, address);
  }

  /// Writes a kubeconfig for clients that connect through a proxy, and returns the path of the
  /// file.
  ///
  /// @param server the proxy's address, `http://HOST:PORT`
  public Path kubeconfig(String name, String bearer, String server) throws IOException {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    config.put("apiVersion", "v1").put("kind", "Config").put("current-context", name);
    config
        .putArray("clusters")
        .addObject()
        .put("name", name)
        .putObject("cluster")
        .put("server", server)
        .put("certificate-authority", certificate);
    config.putArray("users").addObject().put("name", name).putObject("user").put("token", bearer);
    config
        .putArray("contexts")
        .addObject()
        .put("name", name)
        .putObject("context")
        .put("cluster", name)
        .put("user", name);
    // YAML is a superset of JSON.
    return Files.writeString(directory.resolve(name + ".kubeconfig"), config.toString());
  }

  /// Returns the programs of the servers.
  public KubernetesBinaries binaries() {
    return binaries;
  }

  /// Returns `https://HOST:PORT` of the API server.
  public String address() {
    return address;
  }

  /// Returns the path of the API server's self-signed certificate in PEM.
  public Path certificate() {
    return Path.of(certificate);
  }

  /// Returns the bearer token of an administrator.
  public String token() {
    return token;
  }

  /// Returns the path of an administrator's kubeconfig.
  public Path admin() {
    return directory.resolve("admin.kubeconfig");
  }

  /// Returns the path of the audit log. Each line is an event of level Metadata as a JSON object.
  /// The log covers every request, including requests for Secrets.
  public Path auditLog() {
    return directory.resolve("audit.log");
  }

  /// Returns the last lines of the log of each server.
  public synchronized String logs() throws IOException {
    StringBuilder logs = new StringBuilder();
    for (ServerProcess server : servers) {
      logs.append(server.tail()).append("\n");
    }
    return logs.toString();
  }

  /// Kills all servers. Waits for their end without the lock, because the thread that restarts a
  /// server needs the lock.
  @Override
  public void close() {
    List<ServerProcess> running;
    synchronized (this) {
      closed = true;
      running = List.copyOf(servers);
    }
    running.reversed().forEach(ServerProcess::close);
  }
}

package dev.pvcpopulators.kit.settings;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The settings that all services share. Every key is also an environment variable:
/// `populator.token-file` is `POPULATOR_TOKEN_FILE`.
@CheckedBy(SharedRules.class)
@ConfigMapping(prefix = "populator")
public interface PopulatorSettings {
  @Described("'service' answers requests until stopped; 'job' makes the volume and exits")
  @WithDefault("service")
  Mode mode();

  @Described("The volume: a directory (disk.img is put into it) or a block device")
  @WithDefault("/volume")
  Path target();

  @Described(
      value =
          "Name of the claim that is populated, as PUT /volume answers it. Needed by services that"
              + " answer a claim, except on a loopback address, where it is 'demo' when unset",
      example = "fedora-disk")
  Optional<String> claimName();

  @Described(
      value =
          "Namespace of the claim (the downward API's metadata.namespace). With 'tokenreview' the"
              + " audience and the users that may call follow from it",
      example = "vms")
  Optional<String> namespace();

  @Described(
      value =
          "Who may use the service: 'token' (a bearer token), 'tokenreview' (Kubernetes decides) or"
              + " 'none'. When unset: 'token' where one is set, 'none' on a loopback address, else"
              + " the service refuses to start",
      example = "tokenreview")
  Optional<Auth> auth();

  @Described(
      value =
          "The bearer token itself, at least 16 bytes beyond a loopback address; better give a file",
      example = "the output of: openssl rand -hex 32",
      secret = true)
  Optional<String> token();

  @Described(
      value = "File with the bearer token, such as a mounted Secret; read anew for every request",
      example = "/etc/populator/token",
      secret = true)
  Optional<Path> tokenFile();

  @Described("Whether a disk that was there before may be replaced")
  @WithDefault("false")
  boolean overwrite();

  @Described("Whether the disk grows to the volume's size")
  @WithDefault("false")
  boolean expand();

  @Described("'off' leaves holes, 'falloc' reserves the space, 'full' writes it")
  @WithDefault("off")
  Preallocation preallocation();

  @Described(
      value =
          "Directory for a Block volume's VMDK, VDI, VHD or VHDX image and its disk's data, and for a"
              + " qcow2 that needs more room than the device has, while they are converted. When"
              + " unset, such images are refused there; a Filesystem volume needs none",
      example = "/scratch")
  Optional<Path> scratch();

  @Described("Where a job leaves its last progress line and its result, at most 4096 bytes")
  @WithDefault("/dev/termination-log")
  Path terminationLog();

  @Described(
      value =
          "TCP port on which a job serves its status: GET /volume/status, health and metrics,"
              + " nothing else. A job without it listens on no port",
      example = "8090")
  Optional<Integer> statusPort();

  @Described("How often a job prints a line of progress where no terminal is attached")
  @WithDefault("5s")
  Duration progressInterval();

  @Described(
      "What a job prints: 'auto' (a bar on a terminal, else lines), 'lines', 'json' (an object a"
          + " line) or 'quiet' (errors only). --json and --quiet say the same")
  @WithDefault("auto")
  Output output();

  /// The limits of client connections, for HTTP and HTTPS.
  Http http();

  /// HTTPS, on when both files are given.
  Tls tls();

  /// For `populator.auth=tokenreview`.
  TokenReview tokenreview();

  /// The mode of a process.
  enum Mode {
    SERVICE,
    JOB
  }

  /// The output format of a job.
  enum Output {
    /// Chooses by the type of standard output.
    AUTO,
    LINES,
    /// Standard output contains only JSON; the log goes to standard error.
    JSON,
    QUIET
  }

  /// How clients authenticate.
  enum Auth {
    TOKEN,
    TOKENREVIEW,
    NONE
  }

  /// How much of the disk's space is allocated in advance, in the terms of qemu-img.
  enum Preallocation {
    OFF,
    FALLOC,
    FULL
  }

  /// Limits of connections.
  interface Http {
    @Described(
        "Connections at once. Where another one comes, the one that has gone longest without a"
            + " request is closed")
    @WithDefault("768")
    int maxConnections();

    @Described(
        "How long a connection may take to bring a request's head, from its begin or from the answer"
            + " before; and the short body of a request for /volume")
    @WithDefault("75s")
    Duration requestTimeout();

    @Described(
        "Whether clients may send tokens by plain HTTP beyond a loopback address, where others can"
            + " read them. Without it and without TLS such a service refuses to start")
    @WithDefault("false")
    boolean cleartextTokens();
  }

  /// HTTPS.
  interface Tls {
    @Described(
        value = "File with the certificate chain (PEM). With the key it turns HTTPS on, HTTP off",
        example = "/etc/populator-tls/tls.crt")
    Optional<Path> certificate();

    @Described(
        value = "File with the private key (PEM, PKCS #8)",
        example = "/etc/populator-tls/tls.key",
        secret = true)
    Optional<Path> key();

    @Described("TCP port for HTTPS")
    @WithDefault("8443")
    int port();

    @Described("How often the two files are looked at for a new certificate")
    @WithDefault("10s")
    Duration reloadPeriod();
  }

  /// Settings of Kubernetes TokenReview (authentication.k8s.io/v1).
  interface TokenReview {
    @Described(
        value = "The API server. When unset: the one of the pod's cluster",
        example = "https://kubernetes.default.svc")
    Optional<URI> apiServer();

    @Described("Directory with this pod's own token and ca.crt")
    @WithDefault("/var/run/secrets/kubernetes.io/serviceaccount")
    Path serviceAccount();

    @Described(
        value =
            "Audiences of which a caller's token must have one. When unset:"
                + " pvc-populators/NAMESPACE/CLAIM, so that a token for one claim opens no other",
        example = "pvc-populators/vms/fedora-disk")
    Optional<List<String>> audiences();

    @Described(
        value =
            "User names that may call; one that ends with ':*' stands for all that begin so. When"
                + " unset: every ServiceAccount of POPULATOR_NAMESPACE",
        example = "system:serviceaccount:vms:uploader")
    Optional<List<String>> users();

    @Described("How long an answer is kept, at most 60 s")
    @WithDefault("30s")
    Duration cache();
  }
}

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

  @Described("The volume: a directory, in which disk.img is created, or a block device")
  @WithDefault("/volume")
  Path target();

  @Described(
      value =
          "The claim's name in the answer to PUT /volume. Required if the service"
              + " answers with a claim, except on a loopback address, where the default is"
              + " 'demo'",
      example = "fedora-disk")
  Optional<String> claimName();

  @Described(
      value =
          "The claim's namespace (metadata.namespace of the downward API)."
              + " 'tokenreview' derives the audience and the permitted users from it",
      example = "vms")
  Optional<String> namespace();

  @Described(
      value =
          "Authentication: 'token' (a bearer token), 'tokenreview' (by Kubernetes) or"
              + " 'none'. Default: 'token' if one is set, 'none' on a loopback address;"
              + " otherwise the service refuses to start",
      example = "tokenreview")
  Optional<Auth> auth();

  @Described(
      value =
          "The bearer token, at least 16 bytes unless the service listens on a loopback"
              + " address; a file is safer",
      example = "the output of: openssl rand -hex 32",
      secret = true)
  Optional<String> token();

  @Described(
      value = "File with the bearer token, such as a mounted Secret; read for every request",
      example = "/etc/populator/token",
      secret = true)
  Optional<Path> tokenFile();

  @Described(
      "Permits replacing an existing disk. If the volume has no room for both, the old disk is"
          + " removed first")
  @WithDefault("false")
  boolean overwrite();

  @Described("Enlarges the disk to the volume's size")
  @WithDefault("false")
  boolean expand();

  @Described("'off' leaves holes, 'falloc' reserves the space, 'full' writes it")
  @WithDefault("off")
  Preallocation preallocation();

  @Described(
      value =
          "Directory for temporary files if the volume is a Block volume: for VMDK,"
              + " VDI, VHD and VHDX images with their data, and for a qcow2 that does not"
              + " fit on the device during conversion. Unset: such images are refused."
              + " Filesystem volumes need no such directory",
      example = "/scratch")
  Optional<Path> scratch();

  @Described("File for a job's last progress line and result, at most 4096 bytes")
  @WithDefault("/dev/termination-log")
  Path terminationLog();

  @Described(
      value =
          "TCP port of a job for GET /volume/status, health and metrics. Unset: the"
              + " job listens on no port",
      example = "8090")
  Optional<Integer> statusPort();

  @Described("Interval of a job's progress lines if it has no terminal")
  @WithDefault("5s")
  Duration progressInterval();

  @Described(
      "A job's output: 'auto' (a bar on a terminal, otherwise lines), 'lines', 'json'"
          + " (one object per line) or 'quiet' (only errors). --json and --quiet have the"
          + " same effect")
  @WithDefault("auto")
  Output output();

  /// The settings for client connections by HTTP and HTTPS.
  Http http();

  /// The settings of HTTPS. HTTPS is enabled if both a certificate and a key are set.
  Tls tls();

  /// The settings for `populator.auth=tokenreview`.
  TokenReview tokenreview();

  /// The mode of a process.
  enum Mode {
    SERVICE,
    JOB
  }

  /// The output format of a job.
  enum Output {
    /// A bar if standard output is a terminal, otherwise lines.
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

  /// How the disk's space is allocated in advance. The names are values of the option
  /// `preallocation` of `qemu-img`.
  enum Preallocation {
    OFF,
    FALLOC,
    FULL
  }

  /// Limits of client connections, and the permission to send tokens without TLS.
  interface Http {
    @Described("Maximum number of connections; above it the longest-idle one is closed")
    @WithDefault("768")
    int maxConnections();

    @Described(
        "Time limit for receiving a request's head, from the connection's start or"
            + " from the previous answer, and for the body of a request for /volume")
    @WithDefault("75s")
    Duration requestTimeout();

    @Described(
        "Permits clients to send tokens by plain HTTP beyond a loopback address, where"
            + " others can read them. Otherwise such a service refuses to start without TLS")
    @WithDefault("false")
    boolean cleartextTokens();
  }

  /// The settings of HTTPS.
  interface Tls {
    @Described(
        value =
            "File with the certificate chain (PEM). Certificate and key turn HTTPS on and"
                + " HTTP off",
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

    @Described("Interval at which the two files are checked for a new certificate")
    @WithDefault("10s")
    Duration reloadPeriod();
  }

  /// Settings of Kubernetes TokenReview (authentication.k8s.io/v1).
  interface TokenReview {
    @Described(
        value = "The API server. Default: that of the pod's cluster",
        example = "https://kubernetes.default.svc")
    Optional<URI> apiServer();

    @Described("Directory with this pod's own token and ca.crt")
    @WithDefault("/var/run/secrets/kubernetes.io/serviceaccount")
    Path serviceAccount();

    @Described(
        value =
            "Accepted audiences; a client's token must have one of them. Default:"
                + " pvc-populators/NAMESPACE/CLAIM, so a token is valid for one claim only",
        example = "pvc-populators/vms/fedora-disk")
    Optional<List<String>> audiences();

    @Described(
        value =
            "Permitted user names; a name that ends with ':*' permits all with this"
                + " prefix. Default: every ServiceAccount of POPULATOR_NAMESPACE",
        example = "system:serviceaccount:vms:uploader")
    Optional<List<String>> users();

    @Described("How long an answer is cached, at most 60 s")
    @WithDefault("30s")
    Duration cache();
  }
}

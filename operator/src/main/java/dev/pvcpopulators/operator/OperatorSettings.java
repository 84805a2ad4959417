package dev.pvcpopulators.operator;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The operator's settings: environment variables `OPERATOR_…` (docs/operations/operator.md).
@ConfigMapping(prefix = "operator")
public interface OperatorSettings {
  /// Registry and path that precede the names of the services' images.
  @WithDefault("localhost/pvc-populators")
  String imagePrefix();

  /// Tag of the services' images. The default is the operator's own version.
  @WithDefault("${quarkus.application.version}")
  String imageTag();

  /// `imagePullPolicy` of Jobs and streams: Always, IfNotPresent or Never.
  @WithDefault("IfNotPresent")
  String imagePullPolicy();

  /// Port on which Jobs serve their status. The Job of an upload does not use this port: it serves
  /// its status on the port of the upload. If this setting is unset, only uploads show progress.
  Optional<Integer> statusPort();

  /// Environment variables of every Job and stream, such as `HTTPS_PROXY`: `NAME=VALUE`, separated
  /// by commas. A service's own settings are passed to that service only.
  Optional<List<String>> environment();

  /// File with the key from which tokens are derived. The key has at least 16 bytes. If the setting
  /// is unset or the file is missing, the operator uses a random key. With a random key,
  /// DynamicVolumes stay Pending, and the progress of populations that began before a restart of
  /// the operator is unknown.
  Optional<Path> keyFile();

  /// Whether DynamicVolumes and streams are reconciled. Both need the ClusterRole
  /// `pvc-populators-operator-volumes`.
  @WithDefault("true")
  boolean dynamicVolumes();

  /// Time limit for the first answer from the container of a DynamicVolume.
  @WithDefault("2m")
  Duration answerLimit();

  /// Whether a Lease elects the leader of several replicas.
  @WithDefault("true")
  boolean leaderElection();

  /// Namespace of the Lease: the operator's own namespace.
  @WithDefault("pvc-populators")
  String namespace();

  /// Name of the Lease.
  @WithDefault("pvc-populators-operator")
  String leaseName();

  /// Maximum number of objects that are reconciled concurrently.
  @WithDefault("8")
  int threads();
}

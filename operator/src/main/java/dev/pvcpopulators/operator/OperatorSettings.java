package dev.pvcpopulators.operator;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What can be set: environment variables `OPERATOR_…` (docs/operations/operator.md).
@ConfigMapping(prefix = "operator")
public interface OperatorSettings {
  /// Registry and path before the names of the services' images.
  @WithDefault("localhost/pvc-populators")
  String imagePrefix();

  /// Tag of the services' images: the operator's own version.
  @WithDefault("${quarkus.application.version}")
  String imageTag();

  /// `imagePullPolicy` of the Jobs: Always, IfNotPresent or Never.
  @WithDefault("IfNotPresent")
  String imagePullPolicy();

  /// Port on which Jobs serve their status; none when unset, and then no progress is shown.
  Optional<Integer> statusPort();

  /// Variables of every Job, `NAME=VALUE`, several separated by commas, such as proxies. A
  /// service's own settings are given to that service only.
  Optional<List<String>> environment();

  /// File with the key that tokens are made from, at least 16 bytes. When unset or missing, a
  /// random one is used, and the progress of populations that began before a restart is not known.
  Optional<Path> keyFile();

  /// Whether DynamicVolumes and streams are worked on, which have a ClusterRole of their own.
  @WithDefault("true")
  boolean dynamicVolumes();

  /// How long the container of a DynamicVolume may take for its first answer.
  @WithDefault("2m")
  Duration answerLimit();

  /// Whether one of several replicas is chosen by a Lease.
  @WithDefault("true")
  boolean leaderElection();

  /// Namespace of the Lease: the operator's own.
  @WithDefault("pvc-populators")
  String namespace();

  /// Name of the Lease.
  @WithDefault("pvc-populators-operator")
  String leaseName();

  /// Claims that are worked on at once.
  @WithDefault("8")
  int threads();
}

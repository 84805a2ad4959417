package dev.pvcpopulators.it.operator;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.Release;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// A Helm chart. The methods run commands of Helm 3. The real Helm runs as a library in this
/// process. If Helm refuses a command, the method throws an `IllegalStateException` with Helm's
/// message.
///
/// @param path a directory or an archive
record HelmChart(Path path) {
  /// Name and namespace of the release.
  static final String RELEASE = "pvc-populators";

  static HelmChart ofProject() {
    return new HelmChart(Command.root().resolve("kubernetes/chart"));
  }

  /// An action that reads the user's values from a file.
  private interface WithValues<T> {
    T run(Path values) throws IOException;
  }

  private static <T> T with(String values, WithValues<T> action) throws IOException {
    Path file = Files.createTempFile("values", ".yaml");
    try {
      return action.run(Files.writeString(file, values));
    } finally {
      Files.delete(file);
    }
  }

  /// Renders the chart to a stream of YAML documents.
  ///
  /// @param values the user's values as YAML
  String render(String values) throws IOException {
    return with(
        values,
        file ->
            new Helm(path)
                .template()
                .withName(RELEASE)
                .withNamespace(RELEASE)
                .withValuesFile(file)
                .call());
  }

  LintResult lint() {
    return new Helm(path).lint().strict().call();
  }

  /// Packs the chart.
  ///
  /// @param directory an empty directory for the archive
  HelmChart pack(Path directory) throws IOException {
    new Helm(path).packageIt().withDestination(directory).call();
    try (Stream<Path> files = Files.list(directory)) {
      return new HelmChart(files.findFirst().orElseThrow());
    }
  }

  /// Installs the chart into an existing namespace. Kubernetes 1.20 does not know all fields of the
  /// CustomResourceDefinitions, so Helm does not validate the objects.
  Release install(Path kubeconfig, String values) throws IOException {
    return with(
        values,
        file ->
            new Helm(path)
                .install()
                .withName(RELEASE)
                .withNamespace(RELEASE)
                .withKubeConfig(kubeconfig)
                .disableOpenApiValidation()
                .withValuesFile(file)
                .call());
  }

  /// Upgrades the release to this chart.
  Release upgrade(Path kubeconfig, String values) throws IOException {
    return with(
        values,
        file ->
            new Helm(path)
                .upgrade()
                .withName(RELEASE)
                .withNamespace(RELEASE)
                .withKubeConfig(kubeconfig)
                .disableOpenApiValidation()
                .withValuesFile(file)
                .call());
  }

  static void uninstall(Path kubeconfig) {
    Helm.uninstall(RELEASE).withNamespace(RELEASE).withKubeConfig(kubeconfig).call();
  }

  /// Copies the chart. The copy contains files instead of symbolic links.
  ///
  /// @param directory the path of the copy, which must not exist
  HelmChart copy(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(path, FileVisitOption.FOLLOW_LINKS)) {
      for (Path file : files.toList()) {
        Files.copy(file, directory.resolve(path.relativize(file).toString()));
      }
    }
    return new HelmChart(directory);
  }
}

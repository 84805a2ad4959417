package dev.pvcpopulators.it.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Provides one shared cluster with a running operator as a test parameter. After each test class,
/// this class checks that the operator used only its rights, and that no forbidden state occurred.
final class SharedCluster
    implements ParameterResolver, AfterTestExecutionCallback, AfterAllCallback {
  /// The lock of the shared operator. Tests that need the running operator take the read lock.
  /// Tests that stop the operator take the write lock.
  static final String OPERATOR = "operator";

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(SharedCluster.class);

  private record Running(Cluster cluster, Path directory) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      cluster.close();
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static Running start() {
    try {
      Path directory = Files.createTempDirectory("cluster");
      Cluster cluster = Cluster.start(directory);
      cluster.startOperator();
      return new Running(cluster, directory);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("The cluster does not start", e);
    }
  }

  private static Cluster cluster(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(Running.class, _ -> start(), Running.class)
        .cluster();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Cluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return cluster(context);
  }

  /// Stores the evidence of a failed test in the module's directory `target`.
  @Override
  public void afterTestExecution(ExtensionContext context) throws IOException {
    if (context.getExecutionException().isPresent()) {
      Path file =
          Path.of(
              "target",
              "evidence-%s-%s.txt"
                  .formatted(
                      context.getRequiredTestClass().getSimpleName(),
                      context.getRequiredTestMethod().getName()));
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, cluster(context).evidence());
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    Cluster cluster = cluster(context);
    cluster.audit().assertWithinRole(cluster.client());
    cluster.witness().assertNothingForbidden();
  }
}

package dev.pvcpopulators.populate;

import dev.pvcpopulators.populate.claim.ClaimReader;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options of every command that uses the cluster: `--help`, and the options of the connection
/// to the cluster. These options have the same names and meanings as in kubectl.
@SuppressWarnings({"UnusedVariable", "NullAway.Init"}) // picocli sets and reads the fields.
final class KubeOptions {
  /// The client repeats a failed request at most this number of times.
  private static final int RETRIES = 1;

  private static final int TIMEOUT_MILLIS = 30_000;
  private static final String KUBECONFIG = "kubeconfig";

  @Mixin private HelpOption help;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "namespace of the claim")
  private @Nullable String namespace;

  @Option(names = "--context", paramLabel = "NAME", description = "context of the kubeconfig")
  private @Nullable String context;

  @Option(names = "--kubeconfig", paramLabel = "FILE", description = "path of the kubeconfig")
  private @Nullable Path kubeconfig;

  @Option(names = "--as", paramLabel = "USER", description = "user to impersonate")
  private @Nullable String user;

  @Option(
      names = "--as-group",
      paramLabel = "GROUP",
      description = "group to impersonate; may be repeated")
  private List<String> groups = List.of();

  /// A connection to a cluster. [#close] closes the client.
  ///
  /// @param namespace the value of the option `--namespace`; without this option, the namespace of
  ///   the context; if the context has no namespace, `default`
  record Cluster(KubernetesClient client, String namespace) implements AutoCloseable {
    ClaimReader claims() {
      return new ClaimReader(client, namespace);
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /// Creates a client for the cluster. The client connects to the cluster with its first request.
  /// The caller closes the returned object.
  ///
  /// @throws ConfigurationException if the kubeconfig cannot be read, if the context of `--context`
  ///   does not exist, or if there is neither a current context nor the service account of a pod
  Cluster open() throws ConfigurationException {
    if (kubeconfig != null) {
      requireFile(kubeconfig);
      // The client prefers the system property `kubeconfig` to the environment variable KUBECONFIG.
      System.setProperty(KUBECONFIG, kubeconfig.toString());
    }
    Config config;
    try {
      config = Config.autoConfigure(context);
    } catch (KubernetesClientException | IllegalArgumentException e) {
      throw new ConfigurationException("Reading the kubeconfig: " + e.getMessage(), e);
    }
    if (config.getCurrentContext() == null && (context != null || !inCluster(config))) {
      throw new ConfigurationException(
          context == null
              ? "Looking for a cluster: expected a kubeconfig with a current context in"
                  + " --kubeconfig, KUBECONFIG or ~/.kube/config, found none"
              : "Looking for context %s: expected it in the kubeconfig, found none"
                  .formatted(context),
          null);
    }
    config.setRequestRetryBackoffLimit(RETRIES);
    config.setConnectionTimeout(TIMEOUT_MILLIS);
    config.setRequestTimeout(TIMEOUT_MILLIS);
    if (user != null) {
      config.setImpersonateUsername(user);
    }
    if (!groups.isEmpty()) {
      config.setImpersonateGroups(groups.toArray(String[]::new));
    }
    String chosen = Optional.ofNullable(namespace).or(() -> ofContext(config)).orElse("default");
    return new Cluster(new KubernetesClientBuilder().withConfig(config).build(), chosen);
  }

  private static void requireFile(Path file) throws ConfigurationException {
    if (!Files.isReadable(file)) {
      throw new ConfigurationException(
          "Reading the kubeconfig %s: expected a readable file, found none".formatted(file), null);
    }
  }

  private static boolean inCluster(Config config) {
    return config.getAutoOAuthToken() != null;
  }

  private static Optional<String> ofContext(Config config) {
    return Optional.ofNullable(config.getNamespace()).filter(name -> !name.isEmpty());
  }
}

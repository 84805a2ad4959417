package dev.pvcpopulators.operator.client;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.VersionInfo;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// The connection to the API server. `Main` opens the connection while Quarkus starts, because
/// class loading and the TLS handshake of the first request take as long as the start of Quarkus.
public final class ApiServer {
  private static final System.Logger LOG = System.getLogger(ApiServer.class.getName());

  private static final CompletableFuture<KubernetesClient> CLIENT = new CompletableFuture<>();

  private ApiServer() {}

  /// Creates the client and connects, on another thread.
  public static void connect() {
    Executor thread = task -> Thread.ofPlatform().name("api-server").daemon().start(task);
    CompletableFuture<Void> _ =
        CLIENT.completeAsync(ApiServer::create, thread).thenAccept(ApiServer::askVersion);
  }

  /// Returns the client. Waits until [#connect] has created the client, without a time limit.
  ///
  /// @throws java.util.concurrent.CompletionException if the client's configuration is invalid
  public static KubernetesClient client() {
    return CLIENT.join();
  }

  private static KubernetesClient create() {
    return new KubernetesClientBuilder()
        .withKubernetesSerialization(new KubernetesSerialization(ReadFields.mapper(), true))
        .build();
  }

  /// Requests and logs the version of the API server. The requests for the first lists reuse the
  /// connection of this request.
  private static void askVersion(KubernetesClient client) {
    try {
      LOG.log(
          System.Logger.Level.INFO,
          "Connected to the API server version={0}",
          Optional.ofNullable(client.getKubernetesVersion())
              .map(VersionInfo::getGitVersion)
              .orElse("unknown"));
    } catch (KubernetesClientException e) {
      // The requests for the first lists go to the same server. If the server does not answer these
      // requests, the process ends.
      LOG.log(
          System.Logger.Level.WARNING,
          "The API server did not return its version: {0}",
          e.getMessage());
    }
  }
}

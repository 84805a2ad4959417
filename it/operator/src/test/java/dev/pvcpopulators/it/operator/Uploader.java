package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Uploads a disk with curl to the pod behind the Service of a claim's upload. The URL and the
/// token come from the claim's Secret.
final class Uploader {
  private Uploader() {}

  /// Waits for the pod, then reads the Secret, and then uploads the disk. The Secret is read after
  /// the wait, because an operator that restarts may replace the Secret until the pod exists.
  static void upload(Tenant tenant, Path disk) throws IOException, InterruptedException {
    String name = "upload-" + tenant.uid();
    String address = Waiting.until("an endpoint of " + name, () -> endpoint(tenant, name));
    Path authority = Files.createTempFile("upload", ".crt");
    Files.writeString(authority, tenant.secret(name, "ca.crt"));
    Command.run(
        "curl",
        "-sS",
        "--fail-with-body",
        "--retry",
        "60",
        "--retry-delay",
        "1",
        "--retry-connrefused",
        "--cacert",
        authority.toString(),
        "--connect-to",
        "::" + address,
        "-H",
        "Authorization: Bearer " + tenant.secret(name, "token"),
        "-T",
        disk.toString(),
        tenant.secret(name, "url"));
    Files.delete(authority);
  }

  /// Returns the `HOST:PORT` of the Service's pod, or empty if no such pod runs. This method does
  /// the work of the endpoint controller and of kube-proxy. The real endpoint controller ignores
  /// loopback addresses, and the pods of these tests have no other addresses.
  private static Optional<String> endpoint(Tenant tenant, String name) {
    Service found = tenant.client().services().inNamespace(tenant.namespace()).withName(name).get();
    if (found == null) {
      return Optional.empty();
    }
    ServiceSpec service = found.getSpec();
    String port = service.getPorts().getFirst().getTargetPort().getStrVal();
    return tenant
        .client()
        .pods()
        .inNamespace(tenant.namespace())
        .withLabels(service.getSelector())
        .list()
        .getItems()
        .stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .flatMap(pod ->
            pod.getSpec().getContainers().getFirst().getPorts().stream()
                .filter(open -> open.getName().equals(port))
                .map(open -> pod.getStatus().getPodIP() + ":" + open.getContainerPort()))
        .findFirst();
  }
}

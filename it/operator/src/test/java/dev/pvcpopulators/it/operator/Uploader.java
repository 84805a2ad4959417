package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.EndpointAddress;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// A client that uploads a disk, as the Secret of the claim says. There is no kube-proxy here: it
/// goes to the address behind the Service, which is what the real endpoint controller found.
final class Uploader {
  private Uploader() {}

  /// Waits for the Secret and the Service, and uploads.
  static void upload(Tenant tenant, Path disk) throws IOException, InterruptedException {
    String name = "upload-" + tenant.uid();
    Secret secret =
        Waiting.until(
            "Secret " + name,
            () ->
                Optional.ofNullable(
                    tenant
                        .client()
                        .secrets()
                        .inNamespace(tenant.namespace())
                        .withName(name)
                        .get()));
    String address = Waiting.until("an endpoint of " + name, () -> endpoint(tenant, name));
    Path authority = Files.createTempFile("upload", ".crt");
    Files.writeString(authority, value(secret, "ca.crt"));
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
        "Authorization: Bearer " + value(secret, "token"),
        "-T",
        disk.toString(),
        value(secret, "url"));
    Files.delete(authority);
  }

  private static Optional<String> endpoint(Tenant tenant, String name) {
    Endpoints endpoints =
        tenant.client().endpoints().inNamespace(tenant.namespace()).withName(name).get();
    return endpoints == null
        ? Optional.empty()
        : endpoints.getSubsets().stream()
            .flatMap(subset ->
                Optional.ofNullable(subset.getAddresses()).orElseGet(List::of).stream()
                    .map(EndpointAddress::getIp)
                    .map(ip -> ip + ":" + subset.getPorts().getFirst().getPort()))
            .findFirst();
  }

  private static String value(Secret secret, String key) {
    return new String(
        Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
  }
}

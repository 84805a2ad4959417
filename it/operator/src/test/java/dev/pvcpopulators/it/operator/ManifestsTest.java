package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Checks kubectl's output for the kinds, and the API server's refusals of invalid objects. CEL
/// rules need Kubernetes 1.25; on this server the operator reports the violations.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class ManifestsTest {
  @TempDir private Path work = Path.of("");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{registry: {}} | spec.registry.image | Required value",
        "{registry: {image: ''}} | spec.registry.image | at least 1",
        "{registry: {image: '-x'}} | spec.registry.image | should match '^[A-Za-z0-9]",
        "{registry: {image: [x]}} | spec.registry.image | must be of type string",
        "{registry: {image: x, digest: sha256:12}} | spec.registry.digest | ^sha256:[0-9a-f]{64}$",
        "{registry: {image: x, platform: linux}} | spec.registry.platform | should match",
        "{registry: {image: x, path: ''}} | spec.registry.path | at least 1",
        "{registry: {image: x, pullSecret: ''}} | spec.registry.pullSecret | at least 1",
        "{registry: x} | spec.registry | must be of type object",
        "{http: {}} | spec.http.url | Required value",
        "{http: {url: 'ftp://x/y'}} | spec.http.url | should match '^https?://",
        "{http: {url: 'https://x/y', sha256: AB}} | spec.http.sha256 | ^[0-9a-f]{64}$",
        "{upload: {expires: 1d}} | spec.upload.expires | should match",
        "{upload: {sha256: 12}} | spec.upload.sha256 | must be of type string",
        "{machine: {}} | spec.machine.image | Required value",
        "{machine: {image: x, size: 4Gi}} | spec.machine.size | [MGT]$",
        "{registry: {image: x}, retries: 101} | spec.retries | less than or equal to 100",
        "{registry: {image: x}, retries: -1} | spec.retries | greater than or equal to 0",
        "{registry: {image: x}, retries: many} | spec.retries | must be of type integer",
        "{registry: {image: x}, expand: maybe} | spec.expand | must be of type boolean",
        "{registry: {image: x}, keep: Always} | spec.keep | supported values: \"Never\"",
        "{registry: {image: x}, template: {tolerations: x}} | spec.template.tolerations | array"
      })
  void refuses(String spec, String field, String expected, Cluster cluster) throws IOException {
    Command.Ran ran = apply(cluster, "default", spec);
    assertNotEquals(0, ran.status(), ran::toString);
    assertTrue(ran.err().contains(field), ran::toString);
    assertTrue(ran.err().contains(expected), ran::toString);
  }

  /// CEL would refuse this object.
  @Test
  void reportsTwoSources(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "two-sources");
    apply(cluster, tenant.namespace(), "{registry: {image: x}, upload: {}}").ok();
    tenant.claim(Cluster.IMMEDIATE, "Filesystem");
    Event event = tenant.awaitEvent("InvalidSource", "Warning");
    assertTrue(event.getMessage().contains("exactly one of registry"), event::getMessage);
    assertTrue(tenant.population().isEmpty());
  }

  private Command.Ran apply(Cluster cluster, String namespace, String spec) throws IOException {
    Path manifest =
        Files.writeString(
            work.resolve("image.yaml"),
            """
            apiVersion: pvcpopulators.dev/v1alpha1
            kind: DiskImage
            metadata: {name: image}
            spec: %s
            """
                .formatted(spec));
    return cluster.kubectl(
        "create", "--validate=false", "--namespace=" + namespace, "-f", manifest.toString());
  }

  @Test
  void explainsAField(Cluster cluster) throws IOException, InterruptedException {
    // The API server publishes the schema some time after the kind.
    Waiting.untilTrue(
        "the schema",
        () -> {
          try {
            return cluster.kubectl("explain", "diskimage.spec.registry").out().contains("platform");
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    String explained = cluster.kubectl("explain", "diskimage.spec.registry").ok().out();
    System.out.println(explained);
    for (String field : new String[] {"image", "platform", "path", "digest", "pullSecret"}) {
      assertTrue(explained.contains(field), explained);
    }
    assertTrue(explained.contains("Copies the disk in a container image"), explained);
    assertTrue(explained.contains("quay.io/containerdisks/fedora:41"), explained);
  }

  @Test
  void showsAndWaits(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "shown");
    tenant.image(cluster.images().spec("disk:1")).claim(Cluster.IMMEDIATE, "Filesystem");
    String namespace = "--namespace=" + tenant.namespace();
    Waiting.untilTrue("a population", () -> tenant.population().isPresent());
    String waited =
        cluster
            .kubectl("wait", namespace, "--for=condition=Ready", "dp/vm1", "--timeout=5m")
            .ok()
            .out();
    assertEquals("diskpopulation.pvcpopulators.dev/vm1 condition met", waited.strip());
    String shown = cluster.kubectl("get", namespace, "di,dp").ok().out();
    System.out.println(shown);
    for (String word :
        new String[] {
          "REGISTRY",
          "PHASE",
          "PROGRESS",
          "SOURCE",
          "AGE",
          "Ready",
          "100%",
          cluster.images().reference("disk:1")
        }) {
      assertTrue(shown.contains(word), shown);
    }
    String described = cluster.kubectl("describe", namespace, "pvc", "vm1").ok().out();
    System.out.println(described);
    assertTrue(described.contains("with the complete disk"), described);
    tenant.assertFilled(cluster.images().first());
  }

  @Test
  void showsAFailure(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "shown-failure");
    tenant
        .image(Map.of("registry", Map.of("image", cluster.images().reference("none:2"))))
        .claim(Cluster.IMMEDIATE, "Filesystem");
    tenant.assertFailed("PermanentFailure");
    String shown =
        cluster.kubectl("get", "--namespace=" + tenant.namespace(), "dp", "-o", "wide").ok().out();
    System.out.println(shown);
    assertTrue(shown.contains("Failed"), shown);
    assertTrue(shown.contains("source-not-found, exit code 66"), shown);
  }
}

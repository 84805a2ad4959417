package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import io.fabric8.kubernetes.api.model.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks kubectl's output for the operator's kinds, and the API server's refusals of invalid
/// objects. CEL rules need Kubernetes 1.25. With older servers, the operator reports objects that
/// violate these rules.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class ManifestsTest {
  @TempDir private Path work = Path.of("");

  /// An invalid `spec`, and two parts of the API server's message about it.
  private record Refusal(String spec, String field, String expected) {}

  private static final List<Refusal> REFUSALS =
      List.of(
          new Refusal("{registry: {}}", "spec.registry.image", "Required value"),
          new Refusal("{registry: {image: ''}}", "spec.registry.image", "at least 1"),
          new Refusal(
              "{registry: {image: '-x'}}", "spec.registry.image", "should match '^[A-Za-z0-9]"),
          new Refusal("{registry: {image: [x]}}", "spec.registry.image", "must be of type string"),
          new Refusal(
              "{registry: {image: x, digest: sha256:12}}",
              "spec.registry.digest",
              "^sha256:[0-9a-f]{64}$"),
          new Refusal(
              "{registry: {image: x, platform: linux}}", "spec.registry.platform", "should match"),
          new Refusal("{registry: {image: x, path: ''}}", "spec.registry.path", "at least 1"),
          new Refusal(
              "{registry: {image: x, pullSecret: ''}}", "spec.registry.pullSecret", "at least 1"),
          new Refusal("{registry: x}", "spec.registry", "must be of type object"),
          new Refusal("{http: {}}", "spec.http.url", "Required value"),
          new Refusal("{http: {url: 'ftp://x/y'}}", "spec.http.url", "should match '^https?://"),
          new Refusal(
              "{http: {url: 'https://x/y', sha256: AB}}", "spec.http.sha256", "^[0-9a-f]{64}$"),
          new Refusal("{upload: {expires: 1d}}", "spec.upload.expires", "should match"),
          new Refusal("{upload: {sha256: 12}}", "spec.upload.sha256", "must be of type string"),
          new Refusal("{machine: {}}", "spec.machine.image", "Required value"),
          new Refusal("{machine: {image: x, size: 4Gi}}", "spec.machine.size", "[MGT]$"),
          new Refusal(
              "{registry: {image: x}, retries: 101}", "spec.retries", "less than or equal to 100"),
          new Refusal(
              "{registry: {image: x}, retries: -1}", "spec.retries", "greater than or equal to 0"),
          new Refusal(
              "{registry: {image: x}, retries: many}", "spec.retries", "must be of type integer"),
          new Refusal(
              "{registry: {image: x}, expand: maybe}", "spec.expand", "must be of type boolean"),
          new Refusal(
              "{registry: {image: x}, keep: Always}", "spec.keep", "supported values: \"Never\""),
          new Refusal(
              "{registry: {image: x}, template: {tolerations: x}}",
              "spec.template.tolerations",
              "array"));

  /// One kubectl command sends all objects. The API server answers each object separately.
  @TestFactory
  Stream<DynamicTest> refuses(Cluster cluster) throws IOException {
    StringBuilder manifests = new StringBuilder();
    for (int number = 0; number < REFUSALS.size(); number++) {
      manifests.append(manifest("refused-" + number, REFUSALS.get(number).spec()));
    }
    Command.Ran ran = apply(cluster, "default", manifests.toString());
    return IntStream.range(0, REFUSALS.size())
        .mapToObj(number ->
            DynamicTest.dynamicTest(REFUSALS.get(number).spec(), () -> assertRefused(ran, number)));
  }

  private static void assertRefused(Command.Ran ran, int number) {
    Refusal refusal = REFUSALS.get(number);
    String invalid = "\"refused-%d\" is invalid: ".formatted(number);
    List<String> messages = ran.err().lines().filter(line -> line.contains(invalid)).toList();
    assertEquals(1, messages.size(), ran::toString);
    assertTrue(messages.getFirst().contains(refusal.field()), messages::toString);
    assertTrue(messages.getFirst().contains(refusal.expected()), messages::toString);
  }

  /// A server with CEL refuses an object with two sources. An older server accepts the object, and
  /// the operator reports the two sources.
  @Test
  void reportsTwoSources(Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "two-sources");
    apply(cluster, tenant.namespace(), manifest("image", "{registry: {image: x}, upload: {}}"))
        .ok();
    tenant.claim(Cluster.IMMEDIATE, "Filesystem");
    Event event = tenant.awaitEvent("InvalidSource", "Warning");
    assertTrue(event.getMessage().contains("exactly one of registry"), event::getMessage);
    assertTrue(tenant.population().isEmpty());
  }

  private static String manifest(String name, String spec) {
    return """
    ---
    apiVersion: pvcpopulators.dev/v1alpha1
    kind: DiskImage
    metadata: {name: %s}
    spec: %s
    """
        .formatted(name, spec);
  }

  private Command.Ran apply(Cluster cluster, String namespace, String manifests)
      throws IOException {
    Path file = Files.writeString(work.resolve("images.yaml"), manifests);
    return cluster.kubectl(
        "create", "--validate=false", "--namespace=" + namespace, "-f", file.toString());
  }

  @Test
  void explainsAField(Cluster cluster) throws IOException, InterruptedException {
    // The API server publishes the schema of a kind with a delay.
    String explained =
        Waiting.until(
            "the schema",
            () -> {
              try {
                return Optional.of(cluster.kubectl("explain", "diskimage.spec.registry").out())
                    .filter(text -> text.contains("platform"));
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
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
}

package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Rounds;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Fills claims from DiskImages, for each combination of source, volumeMode and StorageClass. The
/// classes differ in the binding mode, and some of them lend volumes. Each bound claim must have
/// the complete disk. `make test` runs three combinations. `ManifestsTest.showsAndWaits` also fills
/// a claim with immediate binding from a registry.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class MainPathTest {
  private static final String FILESYSTEM = "Filesystem";
  private static final String BLOCK = "Block";
  private static final String STORE = "store";

  enum Source {
    REGISTRY,
    HTTP,
    UPLOAD,
    MACHINE
  }

  /// A combination of source, volumeMode and class.
  record Way(Source source, String mode, String storageClass) {
    boolean late() {
      return storageClass.startsWith("late");
    }

    String namespace() {
      return "main-%s-%s-%s".formatted(source, mode, storageClass).toLowerCase(Locale.ROOT);
    }
  }

  static Stream<Way> ways() {
    if (!Rounds.all()) {
      return Stream.of(
          new Way(Source.REGISTRY, BLOCK, Cluster.LATE_LENDING),
          new Way(Source.UPLOAD, BLOCK, Cluster.LATE),
          new Way(Source.MACHINE, FILESYSTEM, Cluster.LENDING));
    }
    List<Way> ways = new ArrayList<>();
    for (Source source : Source.values()) {
      for (String mode : List.of(FILESYSTEM, BLOCK)) {
        for (String storageClass :
            List.of(Cluster.IMMEDIATE, Cluster.LATE, Cluster.LENDING, Cluster.LATE_LENDING)) {
          ways.add(new Way(source, mode, storageClass));
        }
      }
    }
    return ways.stream();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void fillsAClaim(Way way, Cluster cluster) throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, way.namespace());
    tenant.image(spec(way.source(), tenant)).claim(way.storageClass(), way.mode());
    if (way.late()) {
      tenant.awaitEvent("WaitingForConsumer", "Normal");
      assertTrue(tenant.population().isEmpty());
      tenant.consumer();
    }
    PersistentVolume volume =
        switch (way.source()) {
          case REGISTRY, HTTP -> tenant.assertFilled(cluster.images().first());
          case UPLOAD -> {
            Uploader.upload(tenant, cluster.images().first());
            yield tenant.assertFilled(cluster.images().first());
          }
          case MACHINE -> assertMachine(tenant);
        };
    assertEquals(way.storageClass(), volume.getSpec().getStorageClassName());
    if (way.late()) {
      Waiting.untilTrue(
          "a node for the consumer",
          () ->
              ProcessNode.NAME.equals(
                  cluster
                      .client()
                      .pods()
                      .inNamespace(way.namespace())
                      .withName("consumer")
                      .require()
                      .getSpec()
                      .getNodeName()));
      cluster.client().pods().inNamespace(way.namespace()).withName("consumer").delete();
    }
    cluster.client().persistentVolumeClaims().inNamespace(way.namespace()).delete();
    // The claim's volume must be deleted, too, even if a lending StorageClass lent it.
    tenant.awaitNothing();
  }

  private static Map<String, Object> spec(Source source, Tenant tenant) {
    return switch (source) {
      case REGISTRY -> tenant.cluster().images().spec("disk:1");
      case HTTP -> Map.of("http", Map.of("url", tenant.cluster().images().url()));
      case UPLOAD -> Map.of("upload", Map.of());
      case MACHINE -> {
        tenant.client().resource(tenant.plainClaim(STORE, Cluster.IMMEDIATE, FILESYSTEM)).create();
        String image = tenant.cluster().images().reference("machine:1");
        yield Map.of("machine", Map.of("image", image, "store", STORE));
      }
    };
  }

  /// Checks that the claim contains the same disk as the file `disk.qcow2` in the store.
  private static PersistentVolume assertMachine(Tenant tenant)
      throws IOException, InterruptedException {
    tenant.awaitPhase("Ready");
    PersistentVolumeClaim store =
        tenant
            .client()
            .persistentVolumeClaims()
            .inNamespace(tenant.namespace())
            .withName(STORE)
            .require();
    PersistentVolume kept =
        tenant.client().persistentVolumes().withName(store.getSpec().getVolumeName()).require();
    Path stack;
    try (Stream<Path> images =
        Files.list(Path.of(kept.getSpec().getHostPath().getPath(), "images"))) {
      stack =
          images
              .map(image -> image.resolve("disk.qcow2"))
              .filter(Files::exists)
              .findFirst()
              .orElseThrow();
    }
    Waiting.untilTrue("the end of PVC′", () -> tenant.prime().isEmpty() && tenant.jobs().isEmpty());
    PersistentVolume volume =
        tenant
            .client()
            .persistentVolumes()
            .withName(tenant.claim().getSpec().getVolumeName())
            .require();
    assertTrue(Images.holds(PageProvisioner.disk(volume), stack));
    return volume;
  }
}

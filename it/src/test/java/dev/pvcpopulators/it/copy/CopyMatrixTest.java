package dev.pvcpopulators.it.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Buildah;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import dev.pvcpopulators.it.image.Skopeo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Copies containerDisks with every compression. The result always equals the disk in the image.
@Tag("tools")
final class CopyMatrixTest {
  private static final List<String> DISKS =
      List.of("raw with holes", "qcow2 version 3, clusters of 64k", "qcow2 compressed, zlib");
  private static final Seed SEED = Seed.of("CopyMatrixTest");

  private static Path work;
  private static Registry registry;
  private static VolumeDirectory volume;
  private static Service service;
  private static final Map<String, Path> images = new HashMap<>();

  /// The disk in the image for another architecture.
  private static Path other;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    registry = Registry.open(directory.resolve("registry"));
    for (String disk : DISKS) {
      Path place = Files.createTempDirectory(directory, "image");
      images.put(disk, Recipe.named(disk).make(place, SEED.random(disk.hashCode())));
    }
    other = directory.resolve("other.raw");
    QemuImg.create(other, "raw", "", "1M");
    QemuIo.run(other, "raw", List.of("write -q -P 1 0 1M"));
    volume = VolumeDirectory.in(directory, "volume");
    service =
        Launch.of("registry-copy", volume.path())
            .with("REGISTRY_COPY_INSECURE_REGISTRIES", registry.address())
            .start();
  }

  @AfterAll
  static void stop() throws IOException {
    long resident = service.peakResidentBytes();
    service.close();
    registry.close();
    assertTrue(resident < CopyOutcome.MAX_RESIDENT, () -> "peak resident set " + resident);
  }

  /// Returns the cases. `make test` uses each disk, each compression, and each family of media
  /// types (OCI and Docker) at least once.
  static Stream<Arguments> combinations() {
    return Rounds.all()
        ? allCombinations()
        : Stream.of(
            Arguments.of(DISKS.get(0), Packing.ZSTD, Family.OCI, true),
            Arguments.of(DISKS.get(1), Packing.GZIP, Family.DOCKER, true),
            Arguments.of(DISKS.get(2), Packing.NONE, Family.OCI, false),
            Arguments.of(DISKS.get(1), Packing.ZSTD, Family.DOCKER, false));
  }

  private static Stream<Arguments> allCombinations() {
    return DISKS.stream()
        .flatMap(disk ->
            Stream.of(Packing.GZIP, Packing.ZSTD, Packing.NONE)
                .flatMap(packing ->
                    Stream.of(Family.values())
                        .flatMap(family ->
                            Stream.of(false, true)
                                .map(multi -> Arguments.of(disk, packing, family, multi)))));
  }

  @ParameterizedTest(name = "{0}, {1}, {2}, of several platforms: {3}")
  @MethodSource("combinations")
  void isCopied(String disk, Packing packing, Family family, boolean multi)
      throws IOException, InterruptedException {
    Path place = Files.createTempDirectory(work, "case");
    Path image = path(disk);
    ImageLayout layout = ImageLayout.containerDisk(place, "layout", family, packing, image);
    Content manifest = layout.tagged(ImageLayout.LATEST);
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    List<Content> manifests = List.of(manifest);
    if (multi) {
      LayerTree tree = LayerTree.in(place, "other").file("disk/other.raw", other);
      Content arm =
          layout.image(
              family, "arm64", List.of(layout.layer(family, packing, tree)), Map.of(), List.of());
      Content index = layout.index(family, List.of(arm, manifest.forPlatform("amd64")));
      layout.tag(ImageLayout.LATEST, index);
      manifests = List.of(arm, manifest, index);
    }
    String name = "disks/" + place.getFileName();
    if (family == Family.DOCKER && packing == Packing.ZSTD) {
      // Docker's builder writes zstd layers with a media type of Docker. skopeo does not support
      // this media type.
      registry.take(layout, name, "latest", manifests);
    } else {
      registry.push(layout, ImageLayout.LATEST, name + ":latest");
    }

    JsonNode details = copies(disk, name + ":latest");
    assertEquals(manifest.digest(), details.path("digest").asText());
    assertEquals("linux/amd64", details.path("platform").asText());
    assertEquals(layer.digest(), details.path("layer").asText());
    assertEquals("/disk/" + image.getFileName(), details.path("path").asText());
  }

  static Stream<Arguments> builds() {
    // buildah does not push a blob again with another compression. Therefore the case with zstd
    // uses another disk.
    return Stream.of(
            Arguments.of(Family.OCI, "gzip", DISKS.get(1)),
            Arguments.of(Family.DOCKER, "gzip", DISKS.get(1)),
            Arguments.of(Family.OCI, "zstd", DISKS.get(0)))
        .limit(Rounds.of(1, 3));
  }

  /// Copies images that buildah has built, including images with a second platform.
  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("builds")
  @Tag("nightly")
  void isCopiedAsBuildahMadeIt(Family family, String compression, String disk)
      throws IOException, InterruptedException {
    Path place = Files.createTempDirectory(work, "buildah");
    Buildah buildah = Buildah.in(place, "storage");
    String format = family == Family.OCI ? "oci" : "docker";
    for (String architecture : List.of("arm64", "amd64")) {
      String container = buildah.from("scratch");
      buildah.config(container, "--arch", architecture, "--os", "linux");
      buildah.copyDisk(container, architecture.equals("amd64") ? path(disk) : other, "/disk/");
      buildah.commit(container, format, architecture);
    }
    String repository = "buildah/" + format + "-" + compression;
    buildah.push(
        "amd64", registry.image(repository + ":single"), "--compression-format", compression);
    assertTrue(
        Skopeo.manifest(registry.image(repository + ":single")).contains(compression),
        "the layer is compressed otherwise");
    copiesOnce(disk, repository + ":single");
    buildah.manifest("both", List.of("arm64", "amd64"));
    buildah.pushManifest(
        "both", registry.image(repository + ":both"), family == Family.OCI ? "oci" : "v2s2");
    copiesOnce(disk, repository + ":both");
  }

  private static Path path(String disk) {
    Path image = images.get(disk);
    if (image == null) {
      throw new AssertionError("No image for " + disk);
    }
    return image;
  }

  /// Copies an image with the service.
  ///
  /// @return the details of the status
  private static JsonNode copies(String disk, String repositoryAndTag)
      throws IOException, InterruptedException {
    byte[] body = ("image: " + registry.image(repositoryAndTag) + "\n").getBytes(UTF_8);
    service.http().put("/volume", body, "Content-Type", "application/yaml").expect(201);
    JsonNode status = service.http().get("/volume/status", "Accept", "application/json").json();
    volume.assertOneDisk();
    QemuImg.assertIdentical(path(disk), Recipe.named(disk).format(), volume.disk());
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
    return status.path("details");
  }

  private static void copiesOnce(String disk, String repositoryAndTag)
      throws IOException, InterruptedException {
    Path place = Files.createTempDirectory(work, "copy");
    VolumeDirectory own = VolumeDirectory.in(place, "volume");
    CopyJob.onto(own.path(), place).from(registry, repositoryAndTag).run().ok();
    own.assertOneDisk();
    QemuImg.assertIdentical(path(disk), Recipe.named(disk).format(), own.disk());
    Files.delete(own.disk());
  }
}

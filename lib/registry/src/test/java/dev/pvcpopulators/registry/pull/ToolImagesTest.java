package dev.pvcpopulators.registry.pull;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.local.DockerArchiveStore;
import dev.pvcpopulators.registry.local.LayoutStore;
import dev.pvcpopulators.registry.local.Tools;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests images that buildah, skopeo and umoci wrote in the forms `oci`, `oci-archive` and
/// `docker-archive`.
@Tag("tools")
class ToolImagesTest {
  private static final String[] LAYERS = {"disk/lower.img", "disk/upper.img"};
  private static final ImageChoice AMD64 = ImageChoice.of(Platform.parse("linux/amd64"));

  @TempDir static Path directory;

  private static Tools tools = new Tools(Path.of("."));

  @BeforeAll
  static void build() throws IOException {
    tools = new Tools(directory);
    tools.image("amd:1", "linux/amd64", LAYERS);
    tools.image("arm:1", "linux/arm64", "disk/arm.img");
    tools.buildah("push", "--quiet", "amd:1", "oci:built:v1");
    tools.buildah("push", "--quiet", "arm:1", "oci:built:arm");
    tools.buildah("push", "--quiet", "amd:1", "oci-archive:built.tar:v1");
    tools.buildah("push", "--quiet", "amd:1", "docker-archive:saved.tar:localhost/amd:1");
    tools.run("skopeo", "copy", "-q", "oci:built:v1", "oci-archive:copied.tar:v1");
    tools.run("skopeo", "copy", "-q", "oci:built:v1", "docker-archive:copied-saved.tar:x/y:1");
    tools.run("skopeo", "copy", "-q", "oci:built:v1", "oci:copied");
    tools.run(
        "skopeo", "copy", "-q", "--dest-compress-format", "zstd", "oci:built:v1", "oci:zstd:v1");
    tools.buildah("manifest", "create", "list:1");
    tools.buildah("manifest", "add", "list:1", "amd:1");
    tools.buildah("manifest", "add", "list:1", "arm:1");
    tools.buildah("manifest", "push", "--quiet", "--all", "list:1", "oci:list:v1");
    tools.buildah("manifest", "push", "--quiet", "--all", "list:1", "oci-archive:list.tar:v1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "oci:built:v1",
        "oci:copied",
        "oci:zstd:v1",
        "oci-archive:built.tar:v1",
        "oci-archive:copied.tar",
        "oci:list:v1",
        "oci-archive:list.tar",
        "docker-archive:saved.tar",
        "docker-archive:saved.tar:localhost/amd:1",
        "docker-archive:copied-saved.tar:x/y:1",
      })
  void readsLayersAndConfiguration(String reference) throws IOException {
    try (ImageSource source = open(reference)) {
      Image image = source.resolve(AMD64);
      assertEquals(Optional.of(Platform.parse("linux/amd64")), image.platform());
      ImageConfig config = image.config().orElseThrow();
      assertEquals("buildah", config.labels().get("made-by"));
      assertEquals("LAYER=" + LAYERS[1], config.environment().getLast());
      assertEquals(LAYERS.length, config.diffIds().size());
      List<Descriptor> layers = image.manifest().layers();
      assertEquals(LAYERS.length, layers.size());
      for (int i = 0; i < LAYERS.length; i++) {
        Path tar = copy(source.blobs(), layers.get(i));
        assertEquals(LAYERS[i].repeat(10_000), tools.run("tar", "-xOf", tar, LAYERS[i]), reference);
        Files.delete(tar);
      }
    }
  }

  @Test
  void hasTheDigestThatSkopeoSees() throws IOException {
    for (String reference : new String[] {"oci:built:v1", "oci-archive:copied.tar"}) {
      String digest = tools.run("sh", "-c", "skopeo inspect --raw " + reference + " | sha256sum");
      try (ImageSource source = open(reference)) {
        assertEquals(
            "sha256:" + digest.split(" ", 2)[0], source.resolve(AMD64).digest().toString());
      }
    }
    String imageId =
        tools.run("sh", "-c", "skopeo inspect --config --raw docker-archive:saved.tar | sha256sum");
    try (ImageSource source = open("docker-archive:saved.tar")) {
      assertEquals("sha256:" + imageId.split(" ", 2)[0], source.resolve(AMD64).digest().toString());
    }
  }

  @Test
  void takesTheOtherPlatformFromAnIndex() throws IOException {
    ImageChoice arm = ImageChoice.of(Platform.parse("linux/arm64"));
    for (String reference : new String[] {"oci:list:v1", "oci-archive:list.tar:v1"}) {
      try (ImageSource source = open(reference);
          ImageSource alone = open("oci:built:arm")) {
        Image image = source.resolve(arm);
        assertEquals(alone.resolve(arm).config(), image.config());
        assertThrows(
            UnsupportedFeatureException.class,
            () -> source.resolve(ImageChoice.of(Platform.parse("linux/s390x"))));
      }
    }
    try (ImageSource source = open("oci:built:arm")) {
      assertThrows(UnsupportedFeatureException.class, () -> source.resolve(AMD64));
    }
  }

  @Test
  void readsTheEmptyImageOfUmoci() throws IOException {
    tools.run("umoci", "init", "--layout", "umoci");
    tools.run("umoci", "new", "--image", "umoci:empty");
    try (ImageSource source = open("oci:umoci:empty")) {
      Image image = source.resolve(ImageChoice.ofThisMachine());
      assertEquals(List.of(), image.manifest().layers());
      assertEquals(Map.of(), image.config().orElseThrow().labels());
    }
  }

  private static Path copy(BlobStore store, Descriptor layer) throws IOException {
    Path tar = directory.resolve("layer.tar");
    try (InputStream stream = store.blob(layer, TransferListener.NONE)) {
      Files.copy(stream, tar);
    }
    return tar;
  }

  private static ImageSource open(String text) throws IOException {
    SourceReference relative = SourceReference.parse(text);
    BlobStore store =
        switch (relative) {
          case SourceReference.Local(var transport, Path path, Optional<String> name) -> {
            SourceReference.Local reference =
                new SourceReference.Local(transport, directory.resolve(path), name);
            yield transport == SourceReference.Transport.DOCKER_ARCHIVE
                ? DockerArchiveStore.open(reference)
                : LayoutStore.open(reference);
          }
          case SourceReference.Remote remote -> throw new AssertionError(remote);
        };
    return new ImageSource(store, relative);
  }
}

package dev.pvcpopulators.registry.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.TarWriter;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests artifacts whose layers are files, as KubeVirt's OCI export, ORAS and podman machine create
/// them.
@Tag("tools")
@Timeout(1200)
class ArtifactTest {
  private static final String KUBEVIRT = "application/vnd.kubevirt.disk.raw+zstd";
  private static final String TITLE = "org.opencontainers.image.title";
  private static final String EMPTY = "application/vnd.oci.empty.v1+json";

  private final FakeStore store = new FakeStore();
  private final byte[] raw = Arrays.copyOf("raw disk".getBytes(UTF_8), 1 << 20);
  private final byte[] zstd = Command.of("zstd", "-1", "-c").bytes(raw);

  private FoundDisk find(String path, Image image) throws IOException {
    return DiskSearch.find(image, store, DiskPath.parse(path), SearchListener.NONE);
  }

  private byte[] content(String path, Image image) throws IOException {
    try (FoundDisk disk = find(path, image);
        InputStream stream = disk.open()) {
      byte[] content = stream.readAllBytes();
      assertEquals(-1, stream.read());
      assertEquals(OptionalLong.of(content.length), disk.length());
      return content;
    }
  }

  private byte[] content(Descriptor... layers) throws IOException {
    return content("/disk/*", FakeStore.image(false, layers));
  }

  private Descriptor kubeVirt(String name, String size) {
    return store.add(
        KUBEVIRT,
        zstd,
        Map.of(
            "io.kubevirt.disk.name",
            name,
            "io.kubevirt.disk.size",
            size,
            TITLE,
            name + ".raw.zst"));
  }

  private static void assertNames(Exception thrown, String... parts) {
    for (String part : parts) {
      assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1Mi", "1048576", "1024Ki"})
  void aKubeVirtDiskComesOutRaw(String size) throws IOException {
    Descriptor layer = kubeVirt("rootdisk", size);
    assertArrayEquals(raw, content(layer));
    try (FoundDisk disk = find("/disk/*", FakeStore.image(false, layer))) {
      assertEquals("rootdisk", disk.path());
      assertEquals(layer, disk.layer());
      for (int i = 0; i < 2; i++) {
        try (InputStream stream = disk.open()) {
          assertArrayEquals(raw, stream.readAllBytes());
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1048575, more", "1048577, the end", "1M, more", "8Ei, annotation", "1Gi, the end"})
  void aKubeVirtDiskOfAnotherSizeIsRefused(String size, String reason) {
    assertNames(
        assertThrows(MalformedImageException.class, () -> content(kubeVirt("d", size))), reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "x", "-1", "1.5Gi", "1e6", "1m", "1gi", "99999999999999999999", "16Ei"})
  void refusesSizesThatAreNone(String size) {
    assertThrows(MalformedImageException.class, () -> content(kubeVirt("d", size)));
  }

  @Test
  void withoutASizeTheDiskComesAsItIs() throws IOException {
    assertArrayEquals(zstd, content(store.add(KUBEVIRT, zstd)));
    assertArrayEquals(zstd, content(kubeVirt("d", "0")));
  }

  @Test
  void choosesAmongKubeVirtDisksByName() throws IOException {
    Descriptor root = kubeVirt("rootdisk", "1Mi");
    Descriptor data = store.add(KUBEVIRT, zstd, Map.of(TITLE, "data.raw.zst"));
    Image image = FakeStore.image(false, root, data);
    assertNames(
        assertThrows(UnsupportedFeatureException.class, () -> content("/disk/*", image)),
        "rootdisk",
        "data.raw.zst");
    assertArrayEquals(raw, content("/rootdisk", image));
    assertArrayEquals(raw, content("/disk/rootdisk.raw.zst", image));
    assertArrayEquals(zstd, content("/data.*", image));
    assertNames(
        assertThrows(UnsupportedFeatureException.class, () -> content("/other", image)),
        "No disk",
        "rootdisk");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/vnd.oci.image.layer.v1.tar",
        "application/octet-stream",
        "application/zstd",
        "application/vnd.example.disk.qcow2; v=1"
      })
  void anOrasFileOfAnyMediaTypeIsTheDisk(String mediaType) throws IOException {
    Descriptor layer = store.add(mediaType, zstd, Map.of(TITLE, "images/disk.qcow2.zst"));
    Descriptor empty = store.add(EMPTY, new byte[] {'{', '}'});
    assertArrayEquals(zstd, content(empty, layer));
    assertArrayEquals(zstd, content("/*.qcow2.zst", FakeStore.image(false, layer)));
    try (FoundDisk disk = find("/disk/*", FakeStore.image(false, layer))) {
      assertEquals("disk.qcow2.zst", disk.path());
    }
  }

  @Test
  void choosesAmongOrasFilesByTitle() throws IOException {
    byte[] readme = "Read me".getBytes(UTF_8);
    Image image =
        FakeStore.image(
            false,
            store.add("text/plain", readme, Map.of(TITLE, "README")),
            store.add("application/octet-stream", zstd, Map.of(TITLE, "disk.zst")));
    assertNames(
        assertThrows(UnsupportedFeatureException.class, () -> content("/disk/*", image)),
        "README",
        "disk.zst");
    assertArrayEquals(zstd, content("/disk.zst", image));
    assertArrayEquals(readme, content("/R*", image));
  }

  /// ORAS packs a directory as a tar and marks the layer with an annotation. The search must look
  /// for the disk inside the tar, as in a layer of a container image.
  @Test
  void anOrasDirectoryIsSearched() throws IOException {
    byte[] tar = new TarWriter().directory("disk").file("disk/a.img", "a").bytes();
    byte[] gzip = Command.of("gzip", "-c").bytes(tar);
    Descriptor layer =
        store.add(
            FakeStore.TAR_GZIP, gzip, Map.of(TITLE, "disk", "io.deis.oras.content.unpack", "true"));
    assertEquals("a", new String(content(layer), UTF_8));
  }

  @Test
  void anImageIsSearchedThoughItsLayersHaveTitles() throws IOException {
    byte[] tar = new TarWriter().file("disk/a.img", "a").bytes();
    Descriptor layer = store.add(FakeStore.TAR, tar, Map.of(TITLE, "layer.tar"));
    Descriptor other = store.add("application/octet-stream", zstd);
    assertEquals("a", new String(content("/disk/*", FakeStore.image(other, layer)), UTF_8));
  }

  @Test
  void anImageWithoutATarIsAnArtifact() throws IOException {
    assertArrayEquals(
        zstd, content("/disk/*", FakeStore.image(store.add("application/x-qcow2", zstd))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/x-qcow2+encrypted", KUBEVIRT + "+encrypted"})
  void anEncryptedFileIsNoDisk(String mediaType) {
    Descriptor layer = store.add(mediaType, zstd, Map.of(TITLE, "d.zst"));
    assertNames(
        assertThrows(UnsupportedFeatureException.class, () -> content(layer)), "it is encrypted");
  }

  @Test
  void anArtifactWithoutFilesHasNoDisk() {
    Descriptor empty = store.add(EMPTY, new byte[] {'{', '}'});
    assertNames(assertThrows(UnsupportedFeatureException.class, () -> content()), "No disk");
    assertNames(assertThrows(UnsupportedFeatureException.class, () -> content(empty)), "No disk");
  }

  @Test
  void aDamagedBlobIsNoticed() {
    Descriptor sized = kubeVirt("d", "1Mi");
    Descriptor plain = store.add("application/zstd", zstd.clone(), Map.of(TITLE, "d.zst"));
    for (int i = 0; i < zstd.length; i += 3) {
      byte[] damaged = zstd.clone();
      damaged[i] ^= 4;
      store.replace(sized, damaged);
      assertThrows(IOException.class, () -> content(sized), "at " + i);
      assertThrows(DigestMismatchException.class, () -> content(plain), "at " + i);
    }
    store.replace(sized, Arrays.copyOf(zstd, zstd.length - 1));
    assertThrows(IOException.class, () -> content(sized));
  }
}

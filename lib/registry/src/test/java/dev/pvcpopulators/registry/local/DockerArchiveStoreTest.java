package dev.pvcpopulators.registry.local;

import static dev.pvcpopulators.it.TarBytes.archive;
import static dev.pvcpopulators.it.TarBytes.hardLink;
import static dev.pvcpopulators.it.TarBytes.symbolicLink;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.it.TarBytes;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Manifest;
import dev.pvcpopulators.registry.ManifestDocument;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DockerArchiveStoreTest {
  private static final byte[] LOWER = "lower layer".getBytes(UTF_8);
  private static final byte[] UPPER = "the upper layer".getBytes(UTF_8);
  private static final String CONFIG = config("sha256:" + sha256(LOWER), "sha256:" + sha256(UPPER));

  @TempDir Path directory;

  @Test
  void makesAManifestWhoseBlobsAreVerified() throws IOException {
    write(
        file("manifest.json", "[{'Config':'c.json','Layers':['l/layer.tar','u']}]"),
        file("c.json", CONFIG),
        file("l/layer.tar", LOWER),
        file("u", UPPER));
    try (DockerArchiveStore store = open(null)) {
      RawManifest root = store.root();
      Manifest manifest = (Manifest) ManifestDocument.read(root);
      assertEquals("sha256:" + sha256(json(CONFIG)), root.digest().toString());
      assertEquals(root.digest(), manifest.config().digest());
      assertArrayEquals(json(CONFIG), read(store, manifest.config()));
      assertEquals(
          List.of("sha256:" + sha256(LOWER), "sha256:" + sha256(UPPER)),
          manifest.layers().stream().map(it -> it.digest().toString()).toList());
      assertArrayEquals(LOWER, read(store, manifest.layers().get(0)));
      assertArrayEquals(UPPER, read(store, manifest.layers().get(1)));
      try (InputStream range = store.range(manifest.layers().get(1), 4, 5)) {
        assertArrayEquals("upper".getBytes(UTF_8), range.readAllBytes());
      }
      Descriptor unknown =
          new Descriptor("", Digest.parse("sha256:" + "0".repeat(64)), 0, Map.of());
      assertThrows(SourceNotFoundException.class, () -> store.blob(unknown, TransferListener.NONE));
      assertThrows(SourceNotFoundException.class, () -> store.range(unknown, 0, 1));
      assertFalse(store.has(unknown));
      assertTrue(store.has(manifest.layers().get(1)));
      assertThrows(SourceNotFoundException.class, () -> store.manifest(manifest.config()));
    }
  }

  @Test
  void followsLinksOfOldArchives() throws IOException {
    write(
        file("shared", LOWER),
        symbolicLink("a/layer.tar", "../shared"),
        file("b/layer.tar", UPPER),
        hardLink("h", "b/layer.tar"),
        file("manifest.json", "[{'Config':'c','Layers':['a/layer.tar','h']}]"),
        file("c", CONFIG));
    try (DockerArchiveStore store = open(null)) {
      Manifest manifest = (Manifest) ManifestDocument.read(store.root());
      assertArrayEquals(LOWER, read(store, manifest.layers().get(0)));
      assertArrayEquals(UPPER, read(store, manifest.layers().get(1)));
    }
  }

  @Test
  void refusesALayerThatIsAnother() throws IOException {
    write(
        file("manifest.json", "[{'Config':'c','Layers':['l','u']}]"),
        file("c", CONFIG),
        file("l", UPPER),
        file("u", LOWER));
    try (DockerArchiveStore store = open(null)) {
      Manifest manifest = (Manifest) ManifestDocument.read(store.root());
      for (Descriptor layer : manifest.layers()) {
        assertThrows(DigestMismatchException.class, () -> read(store, layer));
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{'Config':'c','Layers':['l','loop']}] | SourceNotFoundException",
        "[{'Config':'c','Layers':['l','up']}] | SourceNotFoundException",
        "[{'Config':'c','Layers':['l','absolute']}] | SourceNotFoundException",
        "[{'Config':'c','Layers':['l','none']}] | SourceNotFoundException",
        "[{'Config':'c','Layers':['l','/etc/passwd']}] | SourceNotFoundException",
        "[{'Config':'c','Layers':['l','../../../etc/passwd']}] | SourceNotFoundException",
        "[{'Config':'none','Layers':['l','u']}] | SourceNotFoundException",
        "[{'Layers':['l','u']}] | SourceNotFoundException",
        "[] | SourceNotFoundException",
        "null | SourceNotFoundException",
        "[{'Config':'c','Layers':['l']}] | MalformedImageException",
        "[{'Config':'c','Layers':['l','u','u']}] | MalformedImageException",
        "[{'Config':'c'}] | MalformedImageException",
        "[{'Config':'l','Layers':['l','u']}] | MalformedImageException",
        "[{'Config':'manifest.json','Layers':['l','u']}] | MalformedImageException",
        "[{'Config':7,'Layers':['l','u']}] | MalformedImageException",
        "[{'Config':'c','Layers':'l'}] | MalformedImageException",
        "[{'Config':'c','Layers':[1,2]}] | MalformedImageException",
        "[{'Config':'c','Layers':['l','u'],'RepoTags':'x'}] | MalformedImageException",
        "[[]] | MalformedImageException",
        "{} | MalformedImageException",
        "'x' | MalformedImageException",
        "[ | MalformedImageException",
      })
  void refusesWrongValues(String manifest, String exception) throws IOException {
    write(
        file("manifest.json", manifest),
        file("c", CONFIG),
        file("l", LOWER),
        file("u", UPPER),
        symbolicLink("loop", "loop2"),
        symbolicLink("loop2", "loop"),
        symbolicLink("up", "../../../etc/passwd"),
        symbolicLink("absolute", "/etc/passwd"));
    IOException thrown = assertThrows(IOException.class, () -> open(null));
    assertEquals(exception, thrown.getClass().getSimpleName(), thrown.getMessage());
  }

  @Test
  void saysThatTheManifestIsMissing() throws IOException {
    write(file("c", CONFIG));
    assertThrows(SourceNotFoundException.class, () -> open(null));
    write();
    assertThrows(SourceNotFoundException.class, () -> open(null));
  }

  @Test
  void choosesOneOfSeveral() throws IOException {
    String first = config();
    String second = "{'os':'second'}";
    write(
        file(
            "manifest.json",
            "[{'Config':'1','RepoTags':['docker.io/library/busybox:1','x/y:2']},"
                + "{'Config':'2','RepoTags':['localhost:5000/z:latest','Not A Reference']},"
                + "{'Config':'1','RepoTags':null}]"),
        file("1", first),
        file("2", second));
    assertChosen(first, "docker.io/library/busybox:1");
    assertChosen(first, "busybox:1");
    assertChosen(first, "docker.io/x/y:2");
    assertChosen(second, "localhost:5000/z:latest");
    assertChosen(second, "localhost:5000/z");
    assertChosen(second, "Not A Reference");
    assertChosen(first, "@0");
    assertChosen(second, "@1");
    assertChosen(first, "@2");
    for (String name : new String[] {"busybox", "busybox:2", "@3", "Not A", "z"}) {
      assertThrows(SourceNotFoundException.class, () -> open(name), name);
    }
    SourceNotFoundException several = assertThrows(SourceNotFoundException.class, () -> open(null));
    assertTrue(
        String.valueOf(several.getMessage())
            .endsWith(
                "it has @0 \"docker.io/library/busybox:1\" \"x/y:2\","
                    + " @1 \"localhost:5000/z:latest\" \"Not A Reference\", @2"),
        several.getMessage());
    assertThrows(IllegalArgumentException.class, () -> open("@sha256:" + sha256(json(first))));
  }

  @Test
  @Tag("tools")
  void verifiesCompressedLayersByTheirNames() throws IOException {
    byte[] gzip = gzip(LOWER);
    Path file = Files.write(directory.resolve("upper"), UPPER);
    new Tools(directory).run("zstd", "-q", file);
    byte[] zstd = Files.readAllBytes(directory.resolve("upper.zst"));
    String gzipName = "blobs/sha256/" + sha256(gzip);
    String zstdName = "blobs/sha256/" + sha256(zstd);
    write(
        file(
            "manifest.json", "[{'Config':'c','Layers':['%s','%s']}]".formatted(gzipName, zstdName)),
        file("c", CONFIG),
        file(gzipName, gzip),
        file(zstdName, zstd));
    try (DockerArchiveStore store = open(null)) {
      Manifest manifest = (Manifest) ManifestDocument.read(store.root());
      assertTrue(manifest.layers().get(0).mediaType().endsWith("gzip"));
      assertTrue(manifest.layers().get(1).mediaType().endsWith("zstd"));
      assertArrayEquals(gzip, read(store, manifest.layers().get(0)));
      assertArrayEquals(zstd, read(store, manifest.layers().get(1)));
    }
  }

  @Test
  void refusesCompressedLayersOfOtherNames() throws IOException {
    byte[] gzip = gzip(LOWER);
    for (String name : new String[] {"layer.tar", "blobs/sha256/12", "blobs/md5/12"}) {
      writeFirstLayer(name, gzip);
      UnsupportedFeatureException thrown =
          assertThrows(UnsupportedFeatureException.class, () -> open(null));
      assertTrue(String.valueOf(thrown.getMessage()).contains(name), thrown.getMessage());
    }
    String wrong = "blobs/sha256/" + sha256(UPPER);
    writeFirstLayer(wrong, gzip);
    try (DockerArchiveStore store = open(null)) {
      Manifest manifest = (Manifest) ManifestDocument.read(store.root());
      assertThrows(DigestMismatchException.class, () -> read(store, manifest.layers().getFirst()));
    }
  }

  /// No media type exists for a layer that is compressed with XZ.
  @Test
  void refusesLayersOfOtherCompressionsAlsoIfTheirNamesAreDigests() throws IOException {
    byte[] xz = Arrays.copyOf(new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0, 0, 4}, 1024);
    String name = "blobs/sha256/" + sha256(xz);
    writeFirstLayer(name, xz);
    UnsupportedFeatureException thrown =
        assertThrows(UnsupportedFeatureException.class, () -> open(null));
    String message = String.valueOf(thrown.getMessage());
    assertTrue(message.contains("expected gzip or zstd"), message);
    assertFalse(message.contains("not named by"), message);
  }

  @Test
  void boundsLayersAndImages() throws IOException {
    byte[] empty = new byte[0];
    writeLayers(RegistryLimits.LAYERS, empty);
    try (DockerArchiveStore store = open(null)) {
      Manifest manifest = (Manifest) ManifestDocument.read(store.root());
      assertEquals(RegistryLimits.LAYERS, manifest.layers().size());
    }
    writeLayers(RegistryLimits.LAYERS + 1, empty);
    assertThrows(MalformedImageException.class, () -> open(null));
    writeImages(RegistryLimits.INDEX_ENTRIES);
    open("@999").close();
    writeImages(RegistryLimits.INDEX_ENTRIES + 1);
    assertThrows(MalformedImageException.class, () -> open("@999"));
  }

  /// Writes an archive with a first layer that has the given name and content.
  private void writeFirstLayer(String name, byte[] content) throws IOException {
    write(
        file("manifest.json", "[{'Config':'c','Layers':['%s','u']}]".formatted(name)),
        file("c", CONFIG),
        file(name, content),
        file("u", UPPER));
  }

  private void writeLayers(int count, byte[] layer) throws IOException {
    String digest = "sha256:" + sha256(layer);
    write(
        file(
            "manifest.json",
            "[{'Config':'c','Layers':["
                + String.join(",", Collections.nCopies(count, "'l'"))
                + "]}]"),
        file("c", config(Collections.nCopies(count, digest).toArray(String[]::new))),
        file("l", layer));
  }

  private void writeImages(int count) throws IOException {
    write(
        file(
            "manifest.json",
            "[" + String.join(",", Collections.nCopies(count, "{'Config':'c'}")) + "]"),
        file("c", config()));
  }

  private void assertChosen(String config, String name) throws IOException {
    try (DockerArchiveStore store = open(name)) {
      assertEquals("sha256:" + sha256(json(config)), store.root().digest().toString(), name);
    }
  }

  private static byte[] read(DockerArchiveStore store, Descriptor descriptor) throws IOException {
    try (InputStream stream = store.blob(descriptor, TransferListener.NONE)) {
      return stream.readAllBytes();
    }
  }

  private void write(byte[]... entries) throws IOException {
    Files.deleteIfExists(directory.resolve("a.tar"));
    Files.write(directory.resolve("a.tar"), archive(entries));
  }

  private DockerArchiveStore open(@Nullable String name) throws IOException {
    return DockerArchiveStore.open(
        new SourceReference.Local(
            SourceReference.Transport.DOCKER_ARCHIVE,
            directory.resolve("a.tar"),
            Optional.ofNullable(name)));
  }

  private static String config(String... diffIds) {
    return diffIds.length == 0
        ? "{}"
        : "{'rootfs':{'diff_ids':['" + String.join("','", diffIds) + "']}}";
  }

  private static byte[] file(String name, byte[] data) {
    return TarBytes.file(name, data);
  }

  private static byte[] file(String name, String json) {
    return file(name, json(json));
  }

  private static byte[] json(String text) {
    return text.replace('\'', '"').getBytes(UTF_8);
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(content);
    }
    return bytes.toByteArray();
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}

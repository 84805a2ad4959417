package dev.pvcpopulators.registry.local;

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
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.local.LayoutBytes.Blob;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The tests with a [Transport] parameter run with a layout in a directory and with a layout in an
/// archive.
class LayoutStoreTest {
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final String INDEX = "application/vnd.oci.image.index.v1+json";
  private static final byte[] LAYER = "the layer".getBytes(UTF_8);

  @TempDir Path directory;
  private Path where = Path.of("layout");
  private LayoutBytes layout = new LayoutBytes(where);

  /// The form of the layout.
  enum Transport {
    DIRECTORY,
    ARCHIVE
  }

  @BeforeEach
  void makeLayout() throws IOException {
    where = directory.resolve("layout");
    layout = LayoutBytes.in(where);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void findsAnImageByItsNames(Transport transport) throws IOException {
    Blob one = layout.manifest("{'os':'one'}", LAYER);
    Blob two = layout.manifest("{'os':'two'}", LAYER);
    layout.index(
        one.descriptor(MANIFEST, ",'annotations':{'org.opencontainers.image.ref.name':'v1'}"),
        two.descriptor(
            MANIFEST,
            ",'annotations':{'org.opencontainers.image.ref.name':'v2',"
                + "'io.containerd.image.name':'docker.io/x/y:v2'}"),
        two.descriptor(MANIFEST, ",'annotations':{'org.opencontainers.image.ref.name':'again'}"));
    assertEquals(one.digest(), root(transport, "v1"));
    assertEquals(two.digest(), root(transport, "v2"));
    assertEquals(two.digest(), root(transport, "again"));
    assertEquals(two.digest(), root(transport, "docker.io/x/y:v2"));
    assertEquals(two.digest(), root(transport, "@" + two.digest()));
    assertEquals(two.digest(), root(transport, "@1"));
    SourceNotFoundException none =
        assertThrows(SourceNotFoundException.class, () -> root(transport, "v3"));
    assertTrue(String.valueOf(none.getMessage()).contains("\"v1\", \"v2\", \"again\""));
    assertThrows(SourceNotFoundException.class, () -> root(transport, null));
    assertThrows(SourceNotFoundException.class, () -> root(transport, "@3"));
    assertThrows(IllegalArgumentException.class, () -> root(transport, "@sha256:12"));
    assertThrows(SourceNotFoundException.class, () -> root(transport, "@sha256:" + "0".repeat(64)));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void hasABlobOfTheDigestAndTheSize(Transport transport) throws IOException {
    Blob image = layout.manifest("{}", LAYER);
    layout.index(image.descriptor(MANIFEST, ""));
    Digest layer = Digest.of(Digest.Algorithm.SHA256, LAYER);
    Digest other = Digest.of(Digest.Algorithm.SHA256, new byte[1]);
    try (BlobStore store = open(transport, null)) {
      assertTrue(store.has(new Descriptor("", layer, LAYER.length, Map.of())));
      assertFalse(store.has(new Descriptor("", layer, LAYER.length + 1, Map.of())));
      assertFalse(store.has(new Descriptor("", other, 1, Map.of())));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void takesTheOnlyImageWithoutAName(Transport transport) throws IOException {
    Blob image = layout.manifest("{}", LAYER);
    Blob other = layout.json("{'attestation':1}");
    layout.index(
        other.descriptor("application/vnd.example+json", ""),
        image.descriptor(MANIFEST, ",'annotations':{'org.opencontainers.image.ref.name':'a'}"),
        image.descriptor(MANIFEST, ",'annotations':{'org.opencontainers.image.ref.name':'b'}"),
        other.descriptor(
            MANIFEST, ",'annotations':{'vnd.docker.reference.type':'attestation-manifest'}"),
        other.descriptor(MANIFEST, ",'platform':{'os':'unknown','architecture':'unknown'}"));
    assertEquals(image.digest(), root(transport, null));
    layout.index();
    assertThrows(SourceNotFoundException.class, () -> root(transport, null));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void findsPartsOfNestedIndexesByDigest(Transport transport) throws IOException {
    Blob image = layout.manifest("{}", LAYER);
    Blob nested = layout.nested(image.descriptor(MANIFEST, ""));
    layout.index(nested.descriptor(INDEX, ""));
    assertEquals(nested.digest(), root(transport, null));
    assertEquals(image.digest(), root(transport, "@" + image.digest()));
    Files.writeString(layout.path(image), "{}");
    assertThrows(DigestMismatchException.class, () -> root(transport, "@" + image.digest()));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void verifiesBlobs(Transport transport) throws IOException {
    byte[] content = new byte[700_001];
    Arrays.fill(content, (byte) 7);
    Blob blob = layout.blob(content);
    layout.index();
    AtomicLong heard = new AtomicLong();
    try (BlobStore store = open(transport, null);
        InputStream stream = store.blob(descriptor(blob), heard::addAndGet)) {
      assertArrayEquals(content, stream.readAllBytes());
      assertEquals(content.length, heard.get());
    }
    content[700_000] = 8;
    Files.write(layout.path(blob), content);
    assertMismatch(transport, descriptor(blob));
    Files.write(layout.path(blob), Arrays.copyOf(content, 700_000));
    assertMismatch(transport, descriptor(blob));
    Files.write(layout.path(blob), Arrays.copyOf(content, 700_002));
    assertMismatch(transport, descriptor(blob));
    Files.delete(layout.path(blob));
    try (BlobStore store = open(transport, null)) {
      assertThrows(
          SourceNotFoundException.class, () -> store.blob(descriptor(blob), TransferListener.NONE));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void readsBlobsOfSha512(Transport transport) throws IOException {
    // The name of the blob is the digest that sha512sum computes.
    Tools tools = new Tools(directory);
    Path file = Files.write(directory.resolve("content"), LAYER);
    String hex = tools.run("sha512sum", file).split(" ", 2)[0];
    Files.createDirectories(where.resolve("blobs/sha512"));
    Files.copy(file, where.resolve("blobs/sha512").resolve(hex));
    layout.index();
    Descriptor descriptor =
        new Descriptor("", Digest.parse("sha512:" + hex), LAYER.length, Map.of());
    try (BlobStore store = open(transport, null);
        InputStream stream = store.blob(descriptor, TransferListener.NONE)) {
      assertArrayEquals(LAYER, stream.readAllBytes());
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void followsLinksOfStoresThatShareBlobs(Transport transport) throws IOException {
    Blob soft = layout.blob(LAYER);
    Blob hard = layout.blob("another layer".getBytes(UTF_8));
    Files.move(layout.path(soft), where.resolve("shared"));
    Files.createSymbolicLink(layout.path(soft), Path.of("../../shared"));
    Files.createLink(where.resolve("aaa"), layout.path(hard));
    layout.index();
    try (BlobStore store = open(transport, null);
        InputStream one = store.blob(descriptor(soft), TransferListener.NONE);
        InputStream two = store.blob(descriptor(hard), TransferListener.NONE)) {
      assertArrayEquals(LAYER, one.readAllBytes());
      assertEquals(hard.size(), two.readAllBytes().length);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void boundsManifestsAndIndexes(Transport transport) throws IOException {
    String padding = " ".repeat(RegistryLimits.MANIFEST_LENGTH - "{'manifests':[]}".length());
    Blob longest = layout.json("{'manifests':[]}" + padding);
    Blob longer = layout.json("{'manifests':[]} " + padding);
    layout.index(
        longest.descriptor(INDEX, ",'annotations':{'org.opencontainers.image.ref.name':'ok'}"),
        longer.descriptor(INDEX, ",'annotations':{'org.opencontainers.image.ref.name':'long'}"));
    assertEquals(longest.digest(), root(transport, "ok"));
    assertThrows(MalformedImageException.class, () -> root(transport, "long"));
    layout.file("index.json", "{'manifests':[]}" + padding);
    assertThrows(SourceNotFoundException.class, () -> root(transport, "ok"));
    layout.file("index.json", "{'manifests':[]} " + padding);
    assertThrows(MalformedImageException.class, () -> root(transport, "ok"));
    try (RandomAccessFile index =
        new RandomAccessFile(where.resolve("index.json").toFile(), "rw")) {
      index.setLength(100 << 20);
    }
    assertThrows(MalformedImageException.class, () -> root(transport, "ok"));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void returnsPartsOfBlobs(Transport transport) throws IOException {
    byte[] content = new byte[700_001];
    new Random(9).nextBytes(content);
    Blob blob = layout.blob(content);
    layout.index(layout.manifest("{}", LAYER).descriptor(MANIFEST, ""));
    Descriptor descriptor =
        new Descriptor("", Digest.parse(blob.digest()), content.length, Map.of());
    try (BlobStore store = open(transport, null)) {
      for (int[] part : new int[][] {{0, 1}, {0, content.length}, {700_000, 1}, {511, 600_000}}) {
        try (InputStream range = store.range(descriptor, part[0], part[1])) {
          assertArrayEquals(
              Arrays.copyOfRange(content, part[0], part[0] + part[1]), range.readAllBytes());
        }
      }
      assertThrows(IllegalArgumentException.class, () -> store.range(descriptor, 700_000, 2));
      assertThrows(IllegalArgumentException.class, () -> store.range(descriptor, 0, 0));
      Descriptor shorter = new Descriptor("", descriptor.digest(), content.length - 1, Map.of());
      assertThrows(DigestMismatchException.class, () -> store.range(shorter, 0, 1));
      Descriptor unknown =
          new Descriptor("", Digest.parse("sha256:" + "0".repeat(64)), 1, Map.of());
      assertThrows(SourceNotFoundException.class, () -> store.range(unknown, 0, 1));
    }
  }

  @Test
  @Tag("tools")
  void aPartThatIsCutMeanwhileIsRefused() throws IOException {
    Blob blob = layout.blob(new byte[1000]);
    layout.index(layout.manifest("{}", LAYER).descriptor(MANIFEST, ""));
    Descriptor descriptor = new Descriptor("", Digest.parse(blob.digest()), 1000, Map.of());
    try (BlobStore store = open(Transport.DIRECTORY, null);
        InputStream range = store.range(descriptor, 100, 800)) {
      assertEquals(0, range.read());
      Path file = where.resolve("blobs").resolve(blob.digest().replace(':', '/'));
      try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
        cut.setLength(500);
      }
      assertThrows(SourceUnavailableException.class, range::readAllBytes);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void refusesDirectoriesThatAreNotLayouts(Transport transport) throws IOException {
    assertThrows(SourceNotFoundException.class, () -> root(transport, null));
    layout.file("index.json", "not JSON");
    assertThrows(MalformedImageException.class, () -> root(transport, null));
    Blob image = layout.manifest("{}", LAYER);
    Files.copy(
        layout.path(image), where.resolve("index.json"), StandardCopyOption.REPLACE_EXISTING);
    assertThrows(MalformedImageException.class, () -> root(transport, null));
    layout.index(image.descriptor(MANIFEST, ""));
    assertEquals(image.digest(), root(transport, null));
    layout.file("oci-layout", "{'imageLayoutVersion':'2.0.0'}");
    assertThrows(UnsupportedFeatureException.class, () -> root(transport, null));
    layout.file("oci-layout", "{}");
    assertThrows(UnsupportedFeatureException.class, () -> root(transport, null));
    Files.delete(where.resolve("oci-layout"));
    assertEquals(image.digest(), root(transport, null));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void refusesAWrongDescriptor(Transport transport) throws IOException {
    Blob image = layout.manifest("{}", LAYER);
    for (Blob lie :
        new Blob[] {
          new Blob(image.digest(), image.size() + 1), new Blob(image.digest(), image.size() - 1),
        }) {
      layout.index(lie.descriptor(MANIFEST, ""));
      assertThrows(DigestMismatchException.class, () -> root(transport, null));
    }
    layout.index(image.descriptor(MANIFEST, ""));
    Files.write(layout.path(image), new byte[image.size()]);
    assertThrows(DigestMismatchException.class, () -> root(transport, null));
    Files.delete(layout.path(image));
    assertThrows(SourceNotFoundException.class, () -> root(transport, null));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void endsReadersWhenClosed(Transport transport) throws IOException {
    Blob blob = layout.blob(new byte[1 << 20]);
    layout.index();
    BlobStore store = open(transport, null);
    try (InputStream stream = store.blob(descriptor(blob), TransferListener.NONE)) {
      assertEquals(0, stream.read());
      Thread closer = Thread.ofVirtual().start(() -> close(store));
      closer.join();
      assertThrows(IOException.class, stream::read);
      assertThrows(
          IOException.class, () -> store.blob(descriptor(blob), TransferListener.NONE).read());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Tag("tools")
  void showsNothingOfAFileThatIsNoIndex() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "s3cret: word");
    Files.createSymbolicLink(where.resolve("index.json"), secret);
    MalformedImageException thrown =
        assertThrows(MalformedImageException.class, () -> root(Transport.DIRECTORY, null));
    assertFalse(String.valueOf(thrown.getMessage()).contains("s3cret"), thrown.getMessage());
    assertEquals(null, thrown.getCause());
  }

  @Test
  void returnsTheMessageOfTheSystem() throws IOException {
    Path loop = directory.resolve("loop");
    Files.createSymbolicLink(loop, loop);
    assertThrows(
        SourceUnavailableException.class,
        () ->
            LayoutStore.open(
                new SourceReference.Local(
                    SourceReference.Transport.LAYOUT_ARCHIVE, loop, Optional.empty())));
  }

  @Test
  @Tag("tools")
  void doesNotWaitForAPipe() throws IOException {
    new Tools(directory).run("mkfifo", where.resolve("index.json"), directory.resolve("pipe"));
    assertThrows(SourceNotFoundException.class, () -> root(Transport.DIRECTORY, null));
    assertThrows(
        SourceNotFoundException.class,
        () ->
            LayoutStore.open(
                new SourceReference.Local(
                    SourceReference.Transport.LAYOUT_ARCHIVE,
                    directory.resolve("pipe"),
                    Optional.empty())));
  }

  @Test
  void reportsAMissingFile() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    for (Path path : new Path[] {directory.resolve("none"), file}) {
      assertThrows(
          SourceNotFoundException.class,
          () ->
              LayoutStore.open(
                  new SourceReference.Local(
                      SourceReference.Transport.LAYOUT, path, Optional.empty())));
    }
    for (Path path : new Path[] {directory.resolve("none"), directory}) {
      assertThrows(
          SourceNotFoundException.class,
          () ->
              LayoutStore.open(
                  new SourceReference.Local(
                      SourceReference.Transport.LAYOUT_ARCHIVE, path, Optional.empty())));
    }
    assertThrows(
        MalformedImageException.class,
        () ->
            LayoutStore.open(
                new SourceReference.Local(
                    SourceReference.Transport.LAYOUT_ARCHIVE, file, Optional.empty())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd", "xz", "bzip2", "lz4"})
  @Tag("tools")
  void refusesACompressedArchiveWithAdvice(String program) throws IOException {
    layout.index();
    Tools tools = new Tools(directory);
    tools.run("tar", "-C", where, "-cf", "l.tar", ".");
    tools.run("sh", "-c", program + " -c < l.tar > l.tar.x");
    UnsupportedFeatureException thrown =
        assertThrows(
            UnsupportedFeatureException.class,
            () ->
                LayoutStore.open(
                    new SourceReference.Local(
                        SourceReference.Transport.LAYOUT_ARCHIVE,
                        directory.resolve("l.tar.x"),
                        Optional.empty())));
    assertTrue(String.valueOf(thrown.getMessage()).contains(program + " -d"), thrown.getMessage());
  }

  private static void close(BlobStore store) {
    try {
      store.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void assertMismatch(Transport transport, Descriptor descriptor) throws IOException {
    try (BlobStore store = open(transport, null)) {
      assertThrows(
          DigestMismatchException.class,
          () -> {
            try (InputStream stream = store.blob(descriptor, TransferListener.NONE)) {
              stream.readAllBytes();
            }
          });
    }
  }

  private static Descriptor descriptor(Blob blob) {
    return new Descriptor("", Digest.parse(blob.digest()), blob.size(), Map.of());
  }

  private String root(Transport transport, @Nullable String name) throws IOException {
    try (BlobStore store = open(transport, name)) {
      return store.root().digest().toString();
    }
  }

  private BlobStore open(Transport transport, @Nullable String name) throws IOException {
    Optional<String> reference = Optional.ofNullable(name);
    return switch (transport) {
      case DIRECTORY ->
          LayoutStore.open(
              new SourceReference.Local(SourceReference.Transport.LAYOUT, where, reference));
      case ARCHIVE -> {
        Path file = directory.resolve("layout.tar");
        new Tools(directory).run("tar", "-C", where, "--sort=name", "-cf", file, ".");
        yield LayoutStore.open(
            new SourceReference.Local(SourceReference.Transport.LAYOUT_ARCHIVE, file, reference));
      }
    };
  }
}

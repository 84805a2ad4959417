package dev.pvcpopulators.registry.disk;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests archives of GNU tar and images of buildah and umoci. In an image, the search must find the
/// file that umoci unpacks.
@Tag("tools")
@Timeout(1200)
class RealImagesTest {
  private final FakeStore store = new FakeStore();

  @TempDir Path home;

  private byte[] content(Image image, String path) throws IOException {
    try (FoundDisk disk = DiskSearch.find(image, store, DiskPath.parse(path), SearchListener.NONE);
        InputStream stream = disk.open()) {
      return stream.readAllBytes();
    }
  }

  private String text(Image image, String path) throws IOException {
    return new String(content(image, path), UTF_8);
  }

  /// Packs a file whose name is not UTF-8, and a disk that has holes. With some options, the
  /// archive also contains a name that needs an extended header, or extended attributes.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--format=v7",
        "--format=oldgnu",
        "--format=gnu",
        "--format=ustar",
        "--format=pax",
        "--format=gnu -S",
        "--format=oldgnu -S",
        "--format=pax -S",
        "--format=pax -S --sparse-version=0.0",
        "--format=pax -S --sparse-version=0.1",
        "--format=pax --xattrs",
        "--format=pax --pax-option=globexthdr.name=g,comment=x"
      })
  void readsArchivesOfTar(String options) throws IOException {
    Path tree = home.resolve("tree");
    Files.createDirectories(tree.resolve("disk"));
    Path disk = tree.resolve("disk/a.img");
    byte[] data = new byte[70_000];
    new Random(8).nextBytes(data);
    try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
      file.setLength(20 << 20);
      file.seek(3 << 20);
      file.write(data);
      file.seek(9 << 20);
      file.write(data);
    }
    Command.of("setfattr", "-n", "user.note", "-v", "x".repeat(500), disk).bytes();
    boolean longNames = !options.contains("v7") && !options.contains("ustar");
    Path deep = longNames ? tree.resolve("a/" + "n".repeat(200)) : tree.resolve("a");
    Files.createDirectories(deep);
    Files.writeString(deep.resolve("file"), "x");
    Command.of("sh", "-c", "printf x > \"$(printf 'latin-\\351')\"; ln -s nowhere link")
        .bytesIn(tree);
    byte[] tar = Command.of("sh", "-c", "tar -c " + options + " *").bytesIn(tree);
    Image image = FakeStore.image(store.add(FakeStore.TAR, tar));
    assertArrayEquals(Files.readAllBytes(disk), content(image, "/disk/*"));
    assertEquals("x", text(image, "/" + tree.relativize(deep) + "/file"));
    assertTrue(tar.length > 100_000 && new String(tar, ISO_8859_1).contains("latin-\u00e9"));
  }

  @Test
  void readsAppendedAndConcatenatedTars() throws IOException {
    Path tree = home.resolve("tree");
    Files.createDirectories(tree.resolve("disk"));
    Files.writeString(tree.resolve("disk/a.img"), "a");
    Path tar = home.resolve("a.tar");
    Command.of("tar", "-C", tree, "-cf", tar, "--blocking-factor=1", "disk").bytes();
    Files.writeString(tree.resolve("disk/b.img"), "b");
    Command.of("tar", "-C", tree, "-rf", tar, "disk/b.img").bytes();
    Image image = FakeStore.image(store.add(FakeStore.TAR, Files.readAllBytes(tar)));
    assertThrows(UnsupportedFeatureException.class, () -> text(image, "/disk/*"));
    assertEquals("b", text(image, "/disk/b.img"));
  }

  /// GNU tar encodes the length of a file in one form below the given number of gibibytes, and in
  /// another form from this number on.
  @ParameterizedTest
  @CsvSource({"pax, 2", "gnu, 8"})
  void readsSparseFilesOfAnyLength(String format, int gibibytes) throws IOException {
    long limit = (long) gibibytes << 30;
    Path disk = Files.createDirectories(home.resolve("disk")).resolve("a.img");
    for (long length : new long[] {limit - 1, limit}) {
      try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
        file.setLength(length);
      }
      byte[] tar = Command.of("tar", "-C", home, "-cS", "--format=" + format, "disk").bytes();
      Image image = FakeStore.image(store.add(FakeStore.TAR, tar));
      try (FoundDisk found = DiskSearch.find(image, store, DiskPath.DEFAULT, SearchListener.NONE)) {
        assertEquals(OptionalLong.of(length), found.length());
        try (InputStream bytes = found.open()) {
          assertEquals(length, bytes.transferTo(OutputStream.nullOutputStream()));
        }
      }
    }
  }

  private Command buildah() {
    return Command.of(
        "buildah",
        "--root",
        home.resolve("root"),
        "--runroot",
        home.resolve("run"),
        "--storage-driver",
        "vfs");
  }

  private String buildah(Object... arguments) {
    return new String(buildah().with(arguments).bytes(), UTF_8).strip();
  }

  @Test
  void findsTheDiskInImagesByBuildah() throws IOException {
    String base = buildah("from", "scratch");
    Path root = Path.of(buildah("mount", base));
    Files.createDirectories(root.resolve("disk"));
    Files.writeString(root.resolve("disk/base.img"), "base");
    Files.createDirectories(root.resolve("vm/disks"));
    Files.writeString(root.resolve("vm/disks/v.img"), "v");
    Files.createLink(root.resolve("vm/hard.img"), root.resolve("disk/base.img"));
    buildah("unmount", base);
    buildah("commit", "--quiet", base, "base");
    String upper = buildah("from", "base");
    root = Path.of(buildah("mount", upper));
    Files.delete(root.resolve("disk/base.img"));
    Files.writeString(root.resolve("disk/new.img"), "new");
    Files.delete(root.resolve("vm/disks/v.img"));
    Files.delete(root.resolve("vm/disks"));
    Files.createSymbolicLink(root.resolve("vm/disks"), Path.of("../disk"));
    buildah("unmount", upper);
    Path layout = home.resolve("layout");
    buildah("commit", "--quiet", upper, "oci:" + layout + ":new");
    buildah("rm", "--all");

    Image image = OciLayout.read(layout, store);
    assertEquals(2, image.manifest().layers().size());
    assertEquals("new", text(image, "/disk/*"));
    assertEquals(1, store.pulled.size());
    assertEquals("new", text(image, "/vm/disks/*.img"));
    assertEquals("base", text(image, "/vm/hard.img"));
    UnsupportedFeatureException thrown =
        assertThrows(UnsupportedFeatureException.class, () -> text(image, "/disk/base.img"));
    assertTrue(
        String.valueOf(thrown.getMessage()).contains("\"/disk/base.img\" deleted by layer 2"),
        thrown::toString);
    assertThrows(UnsupportedFeatureException.class, () -> text(image, "/vm/disks/v.img"));
  }

  @Test
  void honoursUmocisWhiteouts() throws IOException {
    Path layout = home.resolve("layout");
    Path source = Files.createDirectory(home.resolve("source"));
    Files.writeString(source.resolve("a.img"), "a");
    Path other = Files.createDirectory(home.resolve("other"));
    Files.writeString(other.resolve("b.img"), "b");
    Command.of("umoci", "init", "--layout", layout).bytes();
    Command.of("umoci", "new", "--image", layout + ":i").bytes();
    Command insert = Command.of("umoci", "insert", "--image", layout + ":i");
    insert.with(source, "/disk").bytes();
    assertEquals("a", text(OciLayout.read(layout, store), "/disk/*"));
    insert.with("--opaque", other, "/disk").bytes();
    assertEquals("b", text(OciLayout.read(layout, store), "/disk/*"));
    assertThrows(
        UnsupportedFeatureException.class,
        () -> text(OciLayout.read(layout, store), "/disk/a.img"));
    insert.with("--whiteout", "/disk/b.img").bytes();
    assertThrows(
        UnsupportedFeatureException.class, () -> text(OciLayout.read(layout, store), "/disk/*"));
    insert.with("--whiteout", "/disk").bytes();
    insert.with(source, "/disk").bytes();
    assertEquals("a", text(OciLayout.read(layout, store), "/disk/*"));
  }

  /// If umoci unpacks a file at a path, the search must find the same file at this path. Otherwise,
  /// the search must fail.
  @Test
  void agreesWithUmociOnRandomLayers() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int found = 0;
    for (int i = 0; i < Rounds.of(10, 25); i++) {
      Path layout = home.resolve("layout" + i);
      Command.of("umoci", "init", "--layout", layout).bytes();
      Command.of("umoci", "new", "--image", layout + ":i").bytes();
      int layers = random.nextInt(4) + 1;
      StringBuilder made = new StringBuilder();
      for (int layer = 0; layer < layers; layer++) {
        RandomLayer generated = new RandomLayer(random, i + "." + layer);
        Path tar = Files.write(home.resolve("layer.tar"), generated.tar());
        made.append("\n").append(generated);
        Command.of("umoci", "raw", "add-layer", "--image", layout + ":i", tar).bytes();
      }
      Path bundle = home.resolve("bundle" + i);
      Command.of("umoci", "unpack", "--image", layout + ":i", bundle).bytes();
      Image image = OciLayout.read(layout, store);
      for (String path : RandomLayer.ALL_PATHS) {
        Optional<Path> file = resolve(bundle.resolve("rootfs"), path);
        String what = "seed " + seed + ", case " + i + ", " + path + made;
        if (file.isPresent()) {
          found++;
          assertEquals(Files.readString(file.get()), text(image, path), what);
        } else {
          assertThrows(IOException.class, () -> text(image, path), what);
        }
      }
    }
    assertTrue(found > 0, "seed " + seed + ": no image had a file to compare");
  }

  /// Resolves a path below a root directory as the kernel does. The result is empty if the path
  /// does not lead to a regular file.
  private static Optional<Path> resolve(Path root, String path) throws IOException {
    Deque<String> pending = new ArrayDeque<>(List.of(path.substring(1).split("/")));
    Deque<String> at = new ArrayDeque<>();
    int links = 0;
    while (!pending.isEmpty()) {
      String component = pending.removeFirst();
      Path next = root.resolve(String.join("/", at)).resolve(component);
      if (component.equals("..")) {
        at.pollLast();
      } else if (Files.isSymbolicLink(next)) {
        if (++links > 40) {
          return Optional.empty();
        }
        String text = Files.readSymbolicLink(next).toString();
        if (text.startsWith("/")) {
          at.clear();
        }
        List.of(text.split("/")).reversed().forEach(pending::addFirst);
      } else if (!Files.exists(next, NOFOLLOW_LINKS)) {
        return Optional.empty();
      } else if (!component.isEmpty()) {
        at.addLast(component);
      }
    }
    Path file = root.resolve(String.join("/", at));
    return Files.isRegularFile(file, NOFOLLOW_LINKS) ? Optional.of(file) : Optional.empty();
  }
}

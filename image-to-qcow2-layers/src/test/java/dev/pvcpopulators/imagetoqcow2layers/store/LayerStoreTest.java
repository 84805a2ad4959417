package dev.pvcpopulators.imagetoqcow2layers.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.LockFile;
import dev.pvcpopulators.registry.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class LayerStoreTest {
  private static final Geometry GEOMETRY = new Geometry(16L << 20);
  private static final List<LayerKey> KEYS =
      LayerKey.of(GEOMETRY, false, List.of(diffId("1"), diffId("2"), diffId("3")));

  @TempDir Path directory;
  private LayerStore store;

  @BeforeEach
  void open() throws IOException {
    store = LayerStore.open(directory.resolve("store"));
  }

  private static Digest diffId(String text) {
    return Blobs.digest(text.getBytes(UTF_8));
  }

  /// Makes the topmost layer of a stack of `count` layers, with `qemu-img`.
  private void make(int count) throws IOException, InterruptedException {
    assertTrue(store.make(KEYS.subList(0, count), diffId("blob"), file -> create(file, count)));
  }

  private void create(Path file, int count) {
    if (count == 1) {
      Command.run("qemu-img", "create", "-q", "-f", "qcow2", file, "16M");
    } else {
      Path below = store.file(KEYS.get(count - 2)).getFileName();
      Command.run(
          "qemu-img", "create", "-q", "-f", "qcow2", "-b", below, "-F", "qcow2", file, "16M");
    }
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("store"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith(StoreNames.RECORD))
          .sorted()
          .toList();
    }
  }

  /// The expected values come from sha256sum and the formula of the OCI image specification
  /// (`github.com/opencontainers/image-spec/identity`): `sha256(chainIdBelow + " " + diffId)`.
  @Test
  void namesLayersByTheirChainIds() {
    String text = diffId("1") + " " + diffId("2");
    String second = Command.shell("printf %s \"$1\" | sha256sum | cut -c-64", text).strip();
    String third =
        Command.shell(
                "printf %s \"$1\" | sha256sum | cut -c-64", "sha256:" + second + " " + diffId("3"))
            .strip();
    assertEquals(diffId("1").hex() + "-v2-16m.qcow2", KEYS.get(0).fileName());
    assertEquals(second + "-v2-16m.qcow2", KEYS.get(1).fileName());
    assertEquals(third + "-v2-16m.qcow2", KEYS.get(2).fileName());
    List<LayerKey> compressed = LayerKey.of(new Geometry(1L << 40), true, List.of(diffId("1")));
    assertEquals(diffId("1").hex() + "-v2-1048576m-zstd.qcow2", compressed.getFirst().fileName());
  }

  @Test
  void countsExistingLayersFromTheBottom() throws Exception {
    assertEquals(0, store.present(KEYS));
    make(1);
    make(2);
    assertEquals(2, store.present(KEYS));
    make(3);
    Files.delete(store.file(KEYS.get(1)));
    assertEquals(1, store.present(KEYS));
  }

  @Test
  void acceptsNoOtherFileAsALayer() throws Exception {
    make(1);
    make(2);
    Path first = store.file(KEYS.getFirst());
    Path second = store.file(KEYS.get(1));
    Files.delete(second);
    Command.run("qemu-img", "create", "-q", "-f", "qcow2", second, "16M");
    assertEquals(1, store.present(KEYS), "it names nothing below");
    make(2);
    assertEquals(2, store.present(KEYS), "it was replaced");
    Command.run("qemu-img", "create", "-q", "-f", "qcow2", first, "17M");
    assertEquals(0, store.present(KEYS), "it has another size");
    Files.writeString(first, "x".repeat(10_000));
    assertEquals(0, store.present(KEYS), "it has no magic number");
    Files.writeString(first, "");
    assertEquals(0, store.present(KEYS), "it is empty");
    Files.delete(first);
    Path elsewhere = directory.resolve("elsewhere");
    create(elsewhere, 1);
    Files.createSymbolicLink(first, elsewhere);
    assertEquals(0, store.present(KEYS), "it is a link");
  }

  /// The store must not reuse a qcow2 file without a valid record, even if the file has the name of
  /// a layer.
  @Test
  void reusesNoForeignLayer() throws Exception {
    Path first = store.file(KEYS.getFirst());
    create(first, 1);
    assertEquals(0, store.present(KEYS), "it has no record");
    make(1);
    assertEquals(1, store.present(KEYS));
    assertTrue(store.bound(KEYS.getFirst(), diffId("blob")));
    assertFalse(store.bound(KEYS.getFirst(), diffId("other")));
    LayerStore elsewhere = LayerStore.open(directory.resolve("store"), "other.example");
    assertFalse(elsewhere.bound(KEYS.getFirst(), diffId("blob")), "confirmed by another registry");
    elsewhere.bind(KEYS.getFirst(), diffId("blob"));
    assertTrue(elsewhere.bound(KEYS.getFirst(), diffId("blob")));
    assertTrue(store.bound(KEYS.getFirst(), diffId("blob")));
    FileTime modified = Files.getLastModifiedTime(first);
    Command.run("qemu-io", "-c", "write 0 4096", first);
    Files.setLastModifiedTime(first, modified);
    assertEquals(0, store.present(KEYS), "it was written to, and its time set back");
    make(1);
    Path planted = directory.resolve("store").resolve("planted");
    create(planted, 1);
    Files.move(planted, first, StandardCopyOption.REPLACE_EXISTING);
    assertEquals(0, store.present(KEYS), "it was replaced");
    make(1);
    Path record = directory.resolve("store").resolve(StoreNames.record(KEYS.getFirst().fileName()));
    Files.setAttribute(record, "unix:uid", 12345);
    assertEquals(0, store.present(KEYS), "its record is another user's");
    Files.delete(record);
    assertEquals(0, store.present(KEYS), "its record was removed");
  }

  /// The test damages three parts of a record, one at a time: the layer's state, a blob's digest,
  /// and a registry's name.
  @Test
  void treatsADamagedRecordAsMissing() throws Exception {
    make(1);
    LayerStore.open(directory.resolve("store"), "registry.example")
        .bind(KEYS.getFirst(), diffId("blob"));
    Path record = directory.resolve("store").resolve(StoreNames.record(KEYS.getFirst().fileName()));
    byte[] bytes = Files.readAllBytes(record);
    int proofs = new String(bytes, UTF_8).indexOf('\n') + 1;
    for (int at : new int[] {0, proofs + 10, bytes.length - 2}) {
      byte[] damaged = bytes.clone();
      damaged[at] = (byte) 0xff;
      Files.write(record, damaged);
      assertEquals(0, store.present(KEYS), "byte " + at);
      assertFalse(store.bound(KEYS.getFirst(), diffId("blob")), "byte " + at);
    }
    Files.write(record, bytes);
    assertEquals(1, store.present(KEYS));
  }

  @Test
  void readsARecordWithTheMostAndLongestProofs() throws Exception {
    make(1);
    Path layers = directory.resolve("store");
    String layer = KEYS.getFirst().fileName();
    List<LayerRecord.Proof> proofs = new ArrayList<>();
    String registry = ("a".repeat(63) + ".").repeat(4).substring(0, 253) + ":65535";
    for (int i = 0; i < 256; i++) {
      Digest blob = Digest.of(Digest.Algorithm.SHA512, new byte[] {(byte) i});
      proofs.add(new LayerRecord.Proof(blob, registry));
    }
    LayerRecord.write(layers, layer, proofs);
    assertEquals(proofs, LayerRecord.read(layers, layer).orElseThrow());
    assertEquals(1, store.present(KEYS));
  }

  @Test
  void leavesNothingOfALayerThatFailed() throws Exception {
    assertThrows(
        IOException.class,
        () ->
            store.make(
                KEYS.subList(0, 1),
                diffId("blob"),
                file -> {
                  Files.writeString(file, "half");
                  throw new IOException("no more");
                }));
    assertEquals(List.of(), names());
    make(1);
    assertFalse(
        store.make(KEYS.subList(0, 1), diffId("blob"), file -> Files.writeString(file, "again")));
    assertEquals(List.of(KEYS.getFirst().fileName()), names());
  }

  @Test
  void removesUnusedTemporaryFiles() throws Exception {
    Path store = directory.resolve("store");
    String dead = KEYS.get(1).fileName();
    Files.writeString(store.resolve(StoreNames.making(dead)), "left by a crash");
    Files.writeString(store.resolve(StoreNames.lock(dead)), "");
    Files.writeString(store.resolve(StoreNames.use()), dead);
    Files.writeString(store.resolve("not-ours"), "");
    List<String> during = new ArrayList<>();
    this.store.make(
        KEYS.subList(0, 1),
        diffId("blob"),
        file -> {
          create(file, 1);
          this.store.removeLeftovers();
          during.addAll(names());
        });
    String alive = KEYS.getFirst().fileName();
    assertEquals(3, during.size(), during::toString);
    assertEquals(StoreNames.lock(alive), during.getFirst());
    assertEquals(Optional.of(alive), StoreNames.made(during.get(1)));
    assertEquals(List.of(alive, "not-ours"), names());
  }

  @Test
  void collectsUnneededLayers() throws Exception {
    make(1);
    make(2);
    make(3);
    Path store = directory.resolve("store");
    String other = diffId("other").hex() + "-v0-99m-zstd.qcow2";
    Files.writeString(store.resolve(other), "of an older version");
    Files.writeString(store.resolve("not-ours.qcow2"), "");
    List<LayerStore.Removed> removed = this.store.collect(Set.of(KEYS.get(1).fileName(), "../x"));
    assertEquals(
        Set.of(KEYS.get(2).fileName(), other),
        Set.copyOf(removed.stream().map(LayerStore.Removed::fileName).toList()));
    assertTrue(removed.stream().allMatch(one -> one.bytes() > 0), removed::toString);
    assertEquals(2, this.store.present(KEYS));
    assertEquals(3, names().size(), () -> "with the file that is not ours");
  }

  @Test
  void keepsLayersInUse() throws Exception {
    make(1);
    make(2);
    try (LayerUse _ = store.use(KEYS.subList(0, 1))) {
      assertEquals(1, store.collect(Set.of()).size());
      assertEquals(1, store.present(KEYS));
    }
    assertEquals(1, store.collect(Set.of()).size());
    assertEquals(List.of(), names());
  }

  @Test
  void givesALockToOneAtATime() throws Exception {
    try (Directory opened = Directory.open(directory)) {
      LockFile first = LockFile.tryTemporary(opened, ".lock").orElseThrow();
      assertTrue(LockFile.tryTemporary(opened, ".lock").isEmpty());
      first.close();
      try (LockFile _ = LockFile.tryTemporary(opened, ".lock").orElseThrow()) {
        assertTrue(LockFile.tryTemporary(opened, ".lock").isEmpty());
      }
      assertTrue(opened.status(".lock").isEmpty());
    }
  }
}

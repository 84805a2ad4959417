package dev.pvcpopulators.imagetoqcow2layers.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Disk;
import dev.pvcpopulators.imagetoqcow2layers.fixture.OciLayout;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.it.TarWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests several conversions of the same layers, mostly into one store. The conversions run in
/// sequence or concurrently. Some conversions run in other processes, and the test kills some
/// processes.
class SeveralConversionsTest {
  private static final Geometry GEOMETRY = new Geometry(128L << 20);
  private static final int KILLS = 3;

  @TempDir Path directory;

  @Test
  void givesTheSameBytesInAnotherProcessElsewhere() throws Exception {
    List<byte[]> tars = EverythingImage.layers();
    Path layout = OciLayout.write(directory.resolve("layout"), tars);
    Path here = directory.resolve("here");
    convert(LayerStore.open(here), tars);
    Path there = directory.resolve("there");
    Map<String, String> elsewhere =
        Map.of("TZ", "Asia/Kathmandu", "LC_ALL", "tr_TR.ISO-8859-9", "UMASK", "077");
    assertEquals("3", output(layout, there, elsewhere));
    assertEquals(digests(here), digests(there));
  }

  @Test
  void givesTheSameBytesInSeveralConversionsAsInOne() throws Exception {
    List<byte[]> tars = EverythingImage.layers();
    Path oneByOne = directory.resolve("one-by-one");
    for (int count = 1; count <= tars.size(); count++) {
      assertEquals(1, convert(LayerStore.open(oneByOne), tars.subList(0, count)).made());
    }
    Path atOnce = directory.resolve("at-once");
    convert(LayerStore.open(atOnce), tars);
    assertEquals(digests(atOnce), digests(oneByOne));
  }

  @Test
  void pullsOnlyMissingLayers() throws Exception {
    List<byte[]> tars = EverythingImage.layers();
    LayerStore store = LayerStore.open(directory);
    Blobs before = new Blobs();
    List<LayerSource> lower = tars.subList(0, 2).stream().map(before::gzip).toList();
    StackConversion.run(
        new StackConversion.Stack(lower, GEOMETRY, false), before, store, Blobs.DEAF);
    Blobs blobs = new Blobs();
    List<LayerSource> layers = tars.stream().map(blobs::gzip).toList();
    StackConversion.Stack stack = new StackConversion.Stack(layers, GEOMETRY, false);
    assertEquals(2, store.present(stack.keys()));
    assertEquals(1, StackConversion.run(stack, blobs, store, Blobs.DEAF).made());
    assertEquals(List.of(layers.get(2).descriptor().digest()), blobs.pulled());
    assertEquals(0, StackConversion.run(stack, blobs, store, Blobs.DEAF).made());
    assertEquals(1, blobs.pulled().size());
  }

  /// An image can list the diff IDs and digests of layers that are in the store. If the source of
  /// the image does not contain the blobs of these layers, the conversion must not reuse the
  /// layers.
  @Test
  void reusesNoLayerWithoutItsBlob() throws Exception {
    List<byte[]> tars = EverythingImage.layers();
    LayerStore store = LayerStore.open(directory);
    convert(store, tars);
    Blobs thief = new Blobs();
    List<LayerSource> layers = tars.stream().map(thief::plain).toList();
    thief.lose(layers.getFirst());
    StackConversion.Stack stack = new StackConversion.Stack(layers, GEOMETRY, false);
    assertEquals(0, StackConversion.shared(stack, thief, store));
    assertThrows(
        SourceNotFoundException.class, () -> StackConversion.run(stack, thief, store, Blobs.DEAF));
    // For each layer, the attacker's image has a blob whose content does not match the listed diff
    // ID.
    Blobs liar = new Blobs();
    List<LayerSource> named =
        tars.stream()
            .map(tar -> liar.layer(new TarWriter().entry("mine", '0').end().bytes(), tar))
            .toList();
    StackConversion.Stack lie = new StackConversion.Stack(named, GEOMETRY, false);
    assertEquals(0, StackConversion.shared(lie, liar, store));
    assertThrows(
        DigestMismatchException.class, () -> StackConversion.run(lie, liar, store, Blobs.DEAF));
    assertEquals(0, StackConversion.shared(lie, liar, store), "the lie was not noted");
  }

  /// A blob may contain the tar of a stored layer in another compression. The first conversion with
  /// this blob pulls the blob, and verifies its tar. Later conversions do not pull the blob.
  @Test
  void takesAnotherBlobOfALayerOnceItWasVerified() throws Exception {
    List<byte[]> tars = EverythingImage.layers();
    LayerStore store = LayerStore.open(directory);
    convert(store, tars);
    Blobs blobs = new Blobs();
    List<LayerSource> layers = tars.stream().map(blobs::gzip).toList();
    StackConversion.Stack stack = new StackConversion.Stack(layers, GEOMETRY, false);
    assertEquals(0, StackConversion.run(stack, blobs, store, Blobs.DEAF).made());
    assertEquals(layers.size(), blobs.pulled().size());
    assertEquals(layers.size(), StackConversion.shared(stack, blobs, store));
    assertEquals(0, StackConversion.run(stack, blobs, store, Blobs.DEAF).made());
    assertEquals(layers.size(), blobs.pulled().size());
  }

  @Test
  void doesTheWorkOnceForSeveralThreads() throws Exception {
    List<byte[]> tars = EverythingImage.layers();
    LayerStore store = LayerStore.open(directory);
    List<Callable<Integer>> conversions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      conversions.add(() -> convert(store, tars).made());
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(conversions.size())) {
      int made = 0;
      for (Future<Integer> conversion : threads.invokeAll(conversions)) {
        made += conversion.get();
      }
      assertEquals(tars.size(), made);
    }
    assertEquals(tars.size(), names().size(), () -> names().toString());
  }

  @Test
  void doesTheWorkOnceForSeveralProcesses() throws Exception {
    List<byte[]> tars = largeLayers(1);
    Path layout = OciLayout.write(directory.resolve("layout"), tars);
    Path store = directory.resolve("store");
    Path first = directory.resolve("first");
    Path second = directory.resolve("second");
    Process other = ConversionProcess.start(layout, store, GEOMETRY, first.toFile(), Map.of());
    Process another = ConversionProcess.start(layout, store, GEOMETRY, second.toFile(), Map.of());
    assertEquals(0, other.waitFor(), () -> text(first));
    assertEquals(0, another.waitFor(), () -> text(second));
    int made = Integer.parseInt(text(first)) + Integer.parseInt(text(second));
    assertEquals(tars.size(), made);
    assertEquals(tars.size(), digests(store).size());
  }

  @Test
  @Tag("tools")
  void survivesBeingKilled() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<byte[]> tars = largeLayers(seed);
    Path layout = OciLayout.write(directory.resolve("layout"), tars);
    Path path = Files.createDirectory(directory.resolve("store"));
    Path output = directory.resolve("output");
    Path whole = directory.resolve("whole");
    convert(LayerStore.open(whole), tars);
    for (int kill = 0; kill < KILLS; kill++) {
      Process process = ConversionProcess.start(layout, path, GEOMETRY, output.toFile(), Map.of());
      long left = Math.max(1, length(whole) - length(path));
      killAt(process, path, length(path) + random.nextLong(left));
      LayerStore store = LayerStore.open(path);
      List<LayerKey> keys = stack(tars, new Blobs()).keys();
      int present = store.present(keys);
      if (present > 0) {
        Files.delete(Disk.check(store.file(keys.get(present - 1))));
      }
      // If a process is killed before it writes the record of a layer, the layer is made again.
      assertTrue(names(path).stream().filter(StoreNames::layer).count() - present <= 1);
    }
    LayerStore.open(path).removeLeftovers();
    assertTrue(names(path).stream().allMatch(StoreNames::layer), () -> names(path).toString());
    convert(LayerStore.open(path), tars);
    assertEquals(digests(whole), digests(path));
  }

  /// Kills a process as soon as the files in the store have `bytes` bytes in total, unless the
  /// process ends earlier.
  private static void killAt(Process process, Path store, long bytes)
      throws IOException, InterruptedException {
    while (process.isAlive() && length(store) < bytes) {
      Thread.onSpinWait();
    }
    process.destroyForcibly().waitFor();
  }

  private static long length(Path store) throws IOException {
    long length = 0;
    for (String name : names(store)) {
      try {
        length += Files.size(store.resolve(name));
      } catch (NoSuchFileException _) {
        // Another process has renamed or removed the file.
      }
    }
    return length;
  }

  private static List<byte[]> largeLayers(long seed) {
    Random random = new Random(seed);
    List<byte[]> tars = new ArrayList<>();
    for (int layer = 0; layer < 4; layer++) {
      TarWriter tar = new TarWriter();
      for (int file = 0; file < 100; file++) {
        byte[] data = new byte[random.nextInt(40_000)];
        random.nextBytes(data);
        tar.entry("layer" + layer + "/" + file, '0').data(data).end();
      }
      tars.add(tar.bytes());
    }
    return tars;
  }

  private static StackConversion.Stack stack(List<byte[]> tars, Blobs blobs) {
    return new StackConversion.Stack(tars.stream().map(blobs::plain).toList(), GEOMETRY, false);
  }

  private static StackConversion.Converted convert(LayerStore store, List<byte[]> tars)
      throws IOException, InterruptedException {
    Blobs blobs = new Blobs();
    return StackConversion.run(stack(tars, blobs), blobs, store, Blobs.DEAF);
  }

  private String output(Path layout, Path store, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    Process process =
        ConversionProcess.start(layout, store, GEOMETRY, output.toFile(), environment);
    assertEquals(0, process.waitFor(), () -> text(output));
    return text(output);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Set<String> names() {
    return names(directory);
  }

  private static Set<String> names(Path path) {
    try (Stream<Path> files = Files.list(path)) {
      Set<String> names = new HashSet<>();
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith(StoreNames.RECORD))
          .forEach(names::add);
      return names;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, String> digests(Path path) throws IOException {
    Map<String, String> digests = new TreeMap<>();
    for (String name : names(path)) {
      digests.put(name, Blobs.digest(Files.readAllBytes(path.resolve(name))).toString());
    }
    return digests;
  }
}

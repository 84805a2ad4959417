package dev.pvcpopulators.imagetoqcow2layers.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.it.TarWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests that a layer is not published if its conversion fails, and that the exception states the
/// reason.
class FailedConversionTest {
  private static final Geometry GEOMETRY = new Geometry(16L << 20);
  private static final int CUTS = 40;

  @TempDir Path directory;
  private final Blobs blobs = new Blobs();
  private int published;

  @AfterEach
  void leftNothing() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      // Each published layer consists of two files: the layer and its record.
      assertEquals(2L * published, files.count());
    }
  }

  private StackConversion.Converted convert(Geometry geometry, LayerSource... layers)
      throws IOException, InterruptedException {
    StackConversion.Stack stack = new StackConversion.Stack(List.of(layers), geometry, false);
    return StackConversion.run(stack, blobs, LayerStore.open(directory), Blobs.DEAF);
  }

  @Test
  void refusesAWrongDiffId() {
    LayerSource layer = blobs.gzip(new TarWriter().file("a", "1").bytes());
    LayerSource wrong = new LayerSource(layer.descriptor(), Blobs.digest(new byte[] {1}));
    DigestMismatchException e =
        assertThrows(DigestMismatchException.class, () -> convert(GEOMETRY, wrong));
    assertTrue(e.toString().contains(layer.diffId().toString()), e.toString());
    assertTrue(e.toString().contains(wrong.diffId().toString()), e.toString());
  }

  @Test
  void refusesAWrongBlob() {
    LayerSource layer = blobs.plain(new TarWriter().file("a", "1").bytes());
    blobs.replace(layer, new TarWriter().file("a", "2").bytes());
    assertThrows(DigestMismatchException.class, () -> convert(GEOMETRY, layer));
    blobs.replace(layer, new byte[0]);
    assertThrows(DigestMismatchException.class, () -> convert(GEOMETRY, layer));
  }

  /// The decoder of a damaged layer fails long before the digest of the blob is known. If the blob
  /// was damaged before it was pushed, the exception must report a malformed image. If the damage
  /// happened in transit, the exception must report that the digest is wrong.
  @Test
  void distinguishesTransitDamageFromAMalformedLayer() {
    byte[] data = new byte[8 << 20];
    new Random(1).nextBytes(data);
    TarWriter content = new TarWriter();
    byte[] tar = content.entry("a", '0').data(data).end().file("b", "2").bytes();
    for (boolean compressed : new boolean[] {true, false}) {
      LayerSource sound = compressed ? blobs.gzip(tar) : blobs.plain(tar);
      byte[] blob = blobs.content(sound);
      // In a compressed blob, this line damages the header of the first deflate block. In an
      // uncompressed blob, this line damages the checksum of the first tar header.
      blob[compressed ? 10 : 148] ^= 0x7;
      LayerSource pushed = blobs.layer(blob, tar);
      assertThrows(MalformedImageException.class, () -> convert(new Geometry(64 << 20), pushed));
      blobs.replace(sound, blob);
      DigestMismatchException e =
          assertThrows(DigestMismatchException.class, () -> convert(new Geometry(64 << 20), sound));
      assertTrue(e.getCause() instanceof MalformedImageException, e::toString);
    }
  }

  @Test
  void refusesATarThatIsCutAnywhere() {
    byte[] data = new byte[64 << 10];
    TarWriter tar = new TarWriter().directory("a");
    int begin = tar.open().length;
    // The file's data ends at the end of a block, so no padding follows. If a cut were in padding,
    // no data would be lost.
    tar.pax("path", "a/" + "n".repeat(200)).entry("-", '0').data(data).end();
    byte[] whole = tar.open();
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < CUTS; i++) {
      int length = i == 0 ? whole.length - 1 : begin + 1 + random.nextInt(whole.length - begin - 1);
      byte[] cut = Arrays.copyOf(whole, length);
      LayerSource layer = i % 4 < 2 ? blobs.plain(cut) : blobs.gzip(cut);
      assertThrows(
          MalformedImageException.class, () -> convert(GEOMETRY, layer), "cut at " + length);
    }
  }

  @Test
  void refusesBlobsThatCannotBePulled() {
    byte[] tar = new TarWriter().bytes();
    for (String type :
        List.of(
            "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
            "application/vnd.oci.image.layer.nondistributable.v1.tar",
            Blobs.TAR + "+gzip+encrypted")) {
      LayerSource layer = new LayerSource(blobs.descriptor(tar, type), Blobs.digest(tar));
      assertThrows(UnsupportedFeatureException.class, () -> convert(GEOMETRY, layer));
    }
    assertEquals(List.of(), blobs.pulled());
  }

  @Test
  void namesTheSizeThatAllLayersNeed() throws Exception {
    byte[] data = new byte[4 << 20];
    new Random(1).nextBytes(data);
    LayerSource[] layers = new LayerSource[3];
    for (int i = 0; i < layers.length; i++) {
      TarWriter tar = new TarWriter();
      tar.entry("first" + i, '0').data(data).end().entry("second" + i, '0').data(data).end();
      layers[i] = blobs.plain(tar.bytes());
    }
    FileSystemFullException full =
        assertThrows(FileSystemFullException.class, () -> convert(GEOMETRY, layers));
    assertTrue(full.toString().contains("the image"), full.toString());
    assertTrue(full.toString().contains(String.valueOf(full.required())), full.toString());
    assertTrue(full.required() < 6L * data.length + (48 << 20), full.toString());
    assertEquals(3, convert(new Geometry(full.required()), layers).made());
    // The first conversion published the lowest layer, and then failed. The second conversion
    // published three layers.
    published = 4;
  }

  @Test
  void convertsLayersWithoutEntriesAndTheSameLayerTwice() throws Exception {
    LayerSource empty = blobs.gzip(new TarWriter().bytes());
    LayerSource file = blobs.gzip(new TarWriter().file("a", "1").bytes());
    StackConversion.Converted converted = convert(GEOMETRY, empty, file, empty, file, empty);
    assertEquals(5, converted.made());
    published = 5;
    assertEquals(5, converted.keys().stream().distinct().count());
    for (LayerKey key : converted.keys()) {
      long length = Files.size(directory.resolve(key.fileName()));
      assertTrue(length <= 110_000, "a layer of next to nothing has " + length + " bytes");
    }
  }
}

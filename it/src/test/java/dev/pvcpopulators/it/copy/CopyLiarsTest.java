package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks Jobs that get wrong data from a registry. The Job must publish no disk, and its memory
/// must stay bounded.
@Tag("tools")
final class CopyLiarsTest {
  private static final int DATA = CopyOutcome.EX_DATAERR;
  private static final int TEMPORARY = CopyOutcome.EX_TEMPFAIL;
  private static final long VOLUME_LENGTH = 256L << 20;
  private static final long HUGE = 100L << 20;

  /// The number of zeros that follow the disk in a layer. The service must stop before it has read
  /// all of these zeros.
  private static final long ENDLESS = 20L << 30;

  private static final String OCTETS = "application/octet-stream";
  private static final String MANIFEST = Family.OCI.manifest();
  private static final Seed SEED = Seed.of("CopyLiarsTest");

  /// One kind of wrong data.
  ///
  /// @param exits the permitted exit codes of the Job
  record Liar(String name, Set<Integer> exits, Telling telling) {
    @Override
    public String toString() {
      return name;
    }
  }

  /// Replaces data of the image in a registry.
  interface Telling {
    void tell(LyingRegistry registry, Sample sample) throws IOException;
  }

  /// The valid image.
  record Sample(ImageLayout layout, Content manifest, Content layer) {
    Path blob() {
      return layout.path(layer);
    }

    byte[] bytes() throws IOException {
      return Files.readAllBytes(blob());
    }
  }

  private static Path shared;
  private static Path image;

  @TempDir private Path work = Path.of("");

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException, InterruptedException {
    shared = directory;
    // `make test` uses a small disk, because each case packs the disk again. No case depends on the
    // length of the disk.
    String disk = Rounds.all() ? "raw with holes" : "raw of an odd number of sectors";
    image = Recipe.named(disk).make(directory, SEED.random());
  }

  static Stream<Liar> liars() {
    return Rounds.oneOf(4, all());
  }

  private static List<Liar> all() {
    return List.of(
        new Liar("a layer of another digest", Set.of(DATA), CopyLiarsTest::anotherLayer),
        new Liar("a layer with one wrong bit", Set.of(DATA), CopyLiarsTest::wrongBit),
        new Liar("a short layer", Set.of(DATA, TEMPORARY), CopyLiarsTest::shortLayer),
        new Liar("a layer with a byte too many", Set.of(DATA), CopyLiarsTest::longLayer),
        new Liar("a layer without end", Set.of(DATA), CopyLiarsTest::endlessLayer),
        new Liar("an empty layer", Set.of(DATA, TEMPORARY), CopyLiarsTest::emptyLayer),
        new Liar("a manifest of 100 MB", Set.of(DATA), CopyLiarsTest::hugeManifest),
        new Liar("a manifest without end", Set.of(DATA), CopyLiarsTest::endlessManifest),
        new Liar("a manifest of another digest", Set.of(DATA), CopyLiarsTest::anotherManifest),
        new Liar("a manifest that is a page", Set.of(DATA), CopyLiarsTest::page),
        new Liar("a deep manifest", Set.of(DATA), CopyLiarsTest::deepManifest),
        new Liar("an index of itself", Set.of(DATA), CopyLiarsTest::circle),
        new Liar("a configuration of 100 MB", Set.of(DATA), CopyLiarsTest::hugeConfig),
        new Liar("an error without end", Set.of(TEMPORARY), CopyLiarsTest::endlessError),
        new Liar("redirects in a circle", Set.of(DATA, TEMPORARY), CopyLiarsTest::redirects),
        // This case needs half a minute, because the service inflates about 17 GiB.
        new Liar(
            "a layer that inflates behind its disk", Set.of(DATA), CopyLiarsTest::inflatingBehind),
        new Liar(
            "a layer that inflates to a disk without end",
            Set.of(DATA, CopyOutcome.EX_CANTCREAT),
            CopyLiarsTest::inflatingDisk));
  }

  @ParameterizedTest
  @MethodSource("liars")
  void areRefused(Liar liar) throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, image);
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    Sample sample = new Sample(layout, layout.tagged(ImageLayout.LATEST), layer);
    try (Ext4Volume volume = Ext4Volume.of(work, "volume", VOLUME_LENGTH);
        LyingRegistry registry = LyingRegistry.of(layout)) {
      liar.telling().tell(registry, sample);
      long free = volume.settledUsable();
      CopyOutcome outcome =
          CopyJob.onto(volume.directory().path(), work)
              .from(registry.image(ImageLayout.LATEST))
              .insecure(registry.address())
              .with("REGISTRY_COPY_RETRIES", "1")
              .run();
      System.out.println(
          "CopyLiarsTest: "
              + liar
              + ": "
              + outcome.exit()
              + ", "
              + (outcome.residentBytes() >> 20)
              + " MiB, "
              + outcome.reason());
      assertTrue(liar.exits().contains(outcome.exit()), outcome::toString);
      outcome.expect(outcome.exit());
      volume.directory().assertEmpty();
      assertTrue(volume.settledUsable() >= free, "something was left behind");
    }
  }

  private static void anotherLayer(LyingRegistry registry, Sample sample) throws IOException {
    byte[] other = new byte[Math.toIntExact(sample.layer().size())];
    SEED.random().nextBytes(other);
    registry.lies(sample.layer().digest(), LyingRegistry.bytes(OCTETS, other));
  }

  private static void wrongBit(LyingRegistry registry, Sample sample) throws IOException {
    byte[] bytes = sample.bytes();
    bytes[SEED.random(1).nextInt(bytes.length)] ^= 1;
    registry.lies(sample.layer().digest(), LyingRegistry.bytes(OCTETS, bytes));
  }

  private static void shortLayer(LyingRegistry registry, Sample sample) throws IOException {
    byte[] bytes = sample.bytes();
    byte[] part = Arrays.copyOf(bytes, bytes.length - 1);
    registry.lies(sample.layer().digest(), LyingRegistry.bytes(OCTETS, part));
  }

  private static void longLayer(LyingRegistry registry, Sample sample) throws IOException {
    byte[] bytes = sample.bytes();
    byte[] more = Arrays.copyOf(bytes, bytes.length + 1);
    registry.lies(sample.layer().digest(), LyingRegistry.bytes(OCTETS, more));
  }

  private static void endlessLayer(LyingRegistry registry, Sample sample) throws IOException {
    registry.lies(
        sample.layer().digest(),
        LyingRegistry.repeating(OCTETS, sample.bytes(), new byte[1 << 20], Long.MAX_VALUE));
  }

  private static void emptyLayer(LyingRegistry registry, Sample sample) {
    registry.lies(sample.layer().digest(), LyingRegistry.bytes(OCTETS, new byte[0]));
  }

  private static void hugeManifest(LyingRegistry registry, Sample sample) {
    byte[] spaces = new byte[Math.toIntExact(HUGE)];
    Arrays.fill(spaces, (byte) ' ');
    registry.lies(ImageLayout.LATEST, LyingRegistry.bytes(MANIFEST, spaces));
  }

  private static void endlessManifest(LyingRegistry registry, Sample sample) {
    registry.lies(
        ImageLayout.LATEST,
        LyingRegistry.repeating(
            MANIFEST,
            LyingRegistry.text("{\"layers\": ["),
            LyingRegistry.text("{\"size\": 1},".repeat(1000)),
            Long.MAX_VALUE));
  }

  /// The index is valid, but the manifest does not match the digest in the index.
  private static void anotherManifest(LyingRegistry registry, Sample sample) throws IOException {
    Content manifest = sample.manifest();
    ImageLayout layout = sample.layout();
    layout.tag(
        ImageLayout.LATEST, layout.index(Family.OCI, List.of(manifest.forPlatform("amd64"))));
    // The wrong manifest has the length of the valid manifest, so that only the digest differs.
    String text =
        Files.readString(layout.path(manifest))
            .replace(sample.layer().digest(), "sha256:" + "0".repeat(64));
    registry.lies(manifest.digest(), LyingRegistry.bytes(MANIFEST, LyingRegistry.text(text)));
  }

  private static void page(LyingRegistry registry, Sample sample) {
    registry.lies(
        ImageLayout.LATEST,
        LyingRegistry.bytes("text/html", LyingRegistry.text("<html>Please log in</html>")));
  }

  private static void deepManifest(LyingRegistry registry, Sample sample) {
    byte[] deep = LyingRegistry.text("{\"a\":".repeat(500_000));
    registry.lies(ImageLayout.LATEST, LyingRegistry.bytes(MANIFEST, deep));
  }

  /// An index cannot contain its own digest, so a circle of indexes is impossible. The test uses a
  /// chain of 101 indexes.
  private static void circle(LyingRegistry registry, Sample sample) throws IOException {
    ImageLayout layout = sample.layout();
    Content content = layout.index(Family.OCI, List.of(sample.manifest().forPlatform("amd64")));
    for (int depth = 0; depth < 100; depth++) {
      content = layout.index(Family.OCI, List.of(content.forPlatform("amd64")));
    }
    layout.tag(ImageLayout.LATEST, content);
  }

  private static void hugeConfig(LyingRegistry registry, Sample sample) throws IOException {
    ImageLayout layout = sample.layout();
    byte[] spaces = new byte[Math.toIntExact(HUGE)];
    Arrays.fill(spaces, (byte) ' ');
    Content config = layout.blob(Family.OCI.config(), spaces);
    layout.tag(
        ImageLayout.LATEST, layout.manifest(Family.OCI, "", config, List.of(sample.layer())));
  }

  private static void endlessError(LyingRegistry registry, Sample sample) {
    registry.lies(
        sample.layer().digest(),
        exchange -> {
          exchange.sendResponseHeaders(500, 0);
          byte[] block = new byte[1 << 20];
          try (OutputStream out = exchange.getResponseBody()) {
            while (true) {
              out.write(block);
            }
          }
        });
  }

  private static void redirects(LyingRegistry registry, Sample sample) {
    registry.lies(
        sample.layer().digest(),
        LyingRegistry.status(307, "Location", "/v2/disks/lies/blobs/" + sample.layer().digest()));
  }

  /// The header announces a file of 1 TiB, but only 2 GiB follow. The service must not read all of
  /// the 2 GiB.
  private static void inflatingDisk(LyingRegistry registry, Sample sample) throws IOException {
    inflating(sample, tarHeader("disk", "1T"), 2L << 30);
  }

  /// The layer has a file of zeros after a complete disk.
  private static void inflatingBehind(LyingRegistry registry, Sample sample) throws IOException {
    Path tar = shared.resolve("behind.tar");
    LayerTree.in(sample.layout().directory(), "behind").file("disk/disk.raw", image).pack(tar);
    byte[] whole = Files.readAllBytes(tar);
    byte[] header = tarHeader("usr", "1T");
    // Keeps the headers of the directory and of the disk, and the disk's data, which is padded to
    // blocks of 512 bytes. Omits the end-of-archive blocks.
    int end = 512 + 512 + Math.ceilDiv(Math.toIntExact(Files.size(image)), 512) * 512;
    byte[] both = Arrays.copyOf(whole, end + header.length);
    System.arraycopy(header, 0, both, end, header.length);
    inflating(sample, both, ENDLESS);
  }

  /// Replaces the only layer by a decompression bomb with a valid digest and size.
  private static void inflating(Sample sample, byte[] beginning, long zeros) throws IOException {
    ImageLayout layout = sample.layout();
    Path file = layout.directory().resolve("inflating");
    GzipOfZeros.gzip(file, beginning, zeros);
    Content layer =
        layout.blob(Packing.GZIP.mediaType(Family.OCI), file).of(sample.layer().digest());
    layout.tag(ImageLayout.LATEST, layout.image(Family.OCI, List.of(layer)));
  }

  /// Returns the tar headers of a directory and of a file of zeros in this directory.
  private static byte[] tarHeader(String directory, String size) throws IOException {
    Path place = Files.createTempDirectory(shared, "header");
    Path zeros = Files.createDirectory(place.resolve(directory)).resolve("zeros.raw");
    Command.run("truncate", "-s", size, zeros.toString());
    Path header = place.resolve("header");
    // `head` keeps only the two headers.
    Command.into(
        header,
        "sh",
        "-c",
        "tar --format=gnu -C \"$0\" -cf - " + directory + " | head -c 1024",
        place.toString());
    return Files.readAllBytes(header);
  }
}

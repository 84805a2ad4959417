package dev.pvcpopulators.diskimage.qcow2;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Passes;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import dev.pvcpopulators.it.Rounds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Decodes images that QEMU's tools create, and compares each disk with the disk that QEMU reads.
@Tag("tools")
class Qcow2ZooTest {
  private static final long SEED = Long.getLong("qcow2.seed", 20_251_121);

  /// Limits with the smallest possible window. With these limits, the reader stages data that
  /// precedes its L2 table in the file.
  private static final Qcow2Limits NO_WINDOW = new Qcow2Limits(0, 1 << 18, 16 << 20, 1);

  /// Limits with memory for only two pending runs. If the runs of an L2 table would exceed this
  /// limit, the reader stages the table and processes it at the end of the source.
  private static final Qcow2Limits NOTHING_PENDING = new Qcow2Limits(0, 2, 16 << 20, 2);

  private record Way(Qcow2Limits limits, OptionalLong length) {}

  static Stream<String> names() {
    return Rounds.oneOf(5, Zoo.recipes().keySet());
  }

  @ParameterizedTest
  @MethodSource("names")
  void decodesTheSameAsQemu(String name, @TempDir Path directory) throws Exception {
    Random random = new Random(SEED ^ name.hashCode());
    Path image = requireNonNull(Zoo.recipes().get(name)).make(directory, random);
    Path first = directory.resolve("first.raw");
    decode(image, first, OptionalLong.empty(), Qcow2Limits.defaults(), random);
    Qemu.requireEqual(image, "qcow2", first);
    Path again = directory.resolve("again.raw");
    OptionalLong length = OptionalLong.of(Files.size(image));
    for (Way way :
        List.of(
            new Way(Qcow2Limits.defaults(), length),
            new Way(NO_WINDOW, length),
            new Way(NO_WINDOW, OptionalLong.empty()),
            new Way(NOTHING_PENDING, OptionalLong.empty()))) {
      decode(image, again, way.length(), way.limits(), random);
      requireEqual(first, again);
      Files.delete(again);
    }
    decodeInPasses(image, again, random);
    requireEqual(first, again);
  }

  private static void decodeInPasses(Path image, Path raw, Random random) throws IOException {
    try (RawFile sink = RawFile.withoutStaging(raw);
        Qcow2Passes passes = new Qcow2Reader(NO_WINDOW).passes(sink)) {
      while (!passes.complete()) {
        try (InputStream file = Files.newInputStream(image);
            ShortReads source = new ShortReads(file, random)) {
          passes.read(source, OptionalLong.empty());
          assertTrue(source.ended(), "the source was not read to its end");
        }
      }
      assertEquals(Files.size(raw), passes.virtualSize());
      assertTrue(sink.allTold(), "the tables say more than the sink was told");
    }
  }

  private static void decode(
      Path image, Path raw, OptionalLong length, Qcow2Limits limits, Random random)
      throws IOException {
    try (InputStream file = Files.newInputStream(image);
        ShortReads source = new ShortReads(file, random);
        RawFile sink = new RawFile(raw, Long.MAX_VALUE)) {
      long size = new Qcow2Reader(limits).decode(source, length, sink);
      assertEquals(Files.size(raw), size);
      assertTrue(sink.allTold(), "the tables say more than the sink was told");
      assertTrue(source.ended(), "the source was not read to its end");
    }
  }

  /// Compares two files. For large files, this method uses `qemu-img`, because `qemu-img` skips
  /// holes.
  private static void requireEqual(Path expected, Path actual)
      throws IOException, InterruptedException {
    if (Files.size(expected) > 64 << 20) {
      Qemu.requireEqual(expected, "raw", actual);
    } else {
      assertEquals(-1, Files.mismatch(expected, actual));
    }
  }
}

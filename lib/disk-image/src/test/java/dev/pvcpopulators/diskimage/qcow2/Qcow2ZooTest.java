package dev.pvcpopulators.diskimage.qcow2;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Whatever QEMU's tools make is decoded to what they read from it.
class Qcow2ZooTest {
  private static final long SEED = Long.getLong("qcow2.seed", 20_251_121);

  /// The usual limits; next to no window, so that all that is late is staged; no room for pending
  /// runs, so that every table is followed at the end.
  private static final List<Qcow2Limits> LIMITS =
      List.of(
          Qcow2Limits.defaults(),
          new Qcow2Limits(0, 1 << 18, 16 << 20, 1),
          new Qcow2Limits(0, 2, 16 << 20, 2));

  static Stream<String> names() {
    return Zoo.recipes().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("names")
  void decodesWhatQemuReads(String name, @TempDir Path directory) throws Exception {
    Random random = new Random(SEED ^ name.hashCode());
    Path image = requireNonNull(Zoo.recipes().get(name)).make(directory, random);
    Path first = directory.resolve("first.raw");
    decode(image, first, OptionalLong.empty(), Qcow2Limits.defaults(), random);
    Qemu.requireEqual(image, "qcow2", first);
    Path again = directory.resolve("again.raw");
    for (Qcow2Limits limits : LIMITS) {
      for (OptionalLong length :
          List.of(OptionalLong.of(Files.size(image)), OptionalLong.empty())) {
        decode(image, again, length, limits, random);
        requireEqual(first, again);
        Files.delete(again);
      }
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
      assertTrue(source.ended(), "the source was not read to its end");
    }
  }

  /// Large disks are sparse, which `qemu-img` knows how to skip.
  private static void requireEqual(Path expected, Path actual)
      throws IOException, InterruptedException {
    if (Files.size(expected) > 64 << 20) {
      Qemu.requireEqual(expected, "raw", actual);
    } else {
      assertEquals(-1, Files.mismatch(expected, actual));
    }
  }
}

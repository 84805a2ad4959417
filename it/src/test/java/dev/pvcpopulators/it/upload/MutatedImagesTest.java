package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.disk.Wrapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks randomly damaged images. The service refuses each image or makes the correct disk.
@Tag("tools")
final class MutatedImagesTest {
  private static final int MUTATIONS = Integer.getInteger("it.mutations", Rounds.of(10, 60));

  /// The distance in bits between two flipped bits of the header. The first bit is random. The
  /// tests of `lib/disk-image` flip all bits.
  private static final int HEADER_STRIDE = Integer.getInteger("it.header.stride", Rounds.of(90, 9));

  private static final int COMPRESSED_MUTATIONS = Rounds.of(2, 15);
  private static final Seed SEED = Seed.of("MutatedImagesTest");

  private static Path work;
  private static VolumeDirectory volume;
  private static Service service;
  private static Path image;
  private static byte[] intact;
  private static DamagedUpload judge;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    volume = VolumeDirectory.in(directory, "volume");
    service = Launch.on(volume.path()).start();
    image = small(directory);
    intact = Files.readAllBytes(image);
    Path raw = directory.resolve("small.raw");
    QemuImg.toRaw(image, "qcow2", raw);
    judge = new DamagedUpload(service, volume, directory, raw);
  }

  /// Makes an image with small clusters and therefore many tables.
  private static Path small(Path directory) throws IOException, InterruptedException {
    Path path = directory.resolve("small.qcow2");
    QemuImg.create(path, "qcow2", "cluster_size=512", "1M");
    Path content = QemuIo.incompressible(directory.resolve("content"), SEED.random());
    QemuIo.run(path, "qcow2", QemuIo.guestWrites(SEED.random(), content, 1 << 20, 30, 16 << 10));
    return path;
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void theServiceStillWorks() throws IOException, InterruptedException {
    service.http().put("/upload", intact).expect(201);
    QemuImg.assertIdentical(image, "qcow2", volume.disk());
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
    assertTrue(!service.log().contains("OutOfMemoryError"), service::log);
  }

  @Test
  void bitsOfTheHeader() throws IOException, InterruptedException {
    Qcow2Bytes original = new Qcow2Bytes(intact);
    int headerBits = 8 * original.intAt(Qcow2Bytes.HEADER_LENGTH);
    Map<Integer, Integer> statuses = new TreeMap<>();
    int first = SEED.random().nextInt(HEADER_STRIDE);
    for (int bit = first; bit < headerBits; bit += HEADER_STRIDE) {
      int status = judge.judge(original.flipped(bit), "byte " + bit / 8 + ", bit " + (7 - bit % 8));
      statuses.merge(status, 1, Integer::sum);
    }
    System.out.println("MutatedImagesTest: header bits, by status " + statuses);
  }

  @Test
  void truncationsAndMutations() throws IOException, InterruptedException {
    Path compressed = work.resolve("small-compressed.qcow2");
    QemuImg.run(
        "convert",
        "-c",
        "-O",
        "qcow2",
        "-o",
        "cluster_size=4k",
        image.toString(),
        compressed.toString());
    Path extended = work.resolve("small-extended.qcow2");
    QemuImg.run(
        "convert",
        "-O",
        "qcow2",
        "-o",
        "cluster_size=16k,extended_l2=on",
        image.toString(),
        extended.toString());
    List<byte[]> images =
        List.of(intact, Files.readAllBytes(compressed), Files.readAllBytes(extended));
    Map<Integer, Integer> statuses = new TreeMap<>();
    for (int i = 0; i < MUTATIONS; i++) {
      Random random = SEED.random(i);
      byte[] mutated = mutate(images.get(i % images.size()), random);
      statuses.merge(
          judge.judge(mutated, "mutation " + i + ", seed " + SEED.value()), 1, Integer::sum);
    }
    System.out.println("MutatedImagesTest: mutations, by status " + statuses);
  }

  static Stream<Wrapping> compressions() {
    return Rounds.oneOf(3, EnumSet.complementOf(EnumSet.of(Wrapping.NONE)));
  }

  @ParameterizedTest
  @MethodSource("compressions")
  void compressedStreams(Wrapping wrapping) throws IOException, InterruptedException {
    byte[] wrapped = Files.readAllBytes(wrapping.wrap(image));
    Map<Integer, Integer> statuses = new TreeMap<>();
    for (int i = 0; i < COMPRESSED_MUTATIONS; i++) {
      Random random = SEED.random(wrapping.name().hashCode() * 1000L + i);
      byte[] mutated = mutate(wrapped, random);
      if (mutated.length < 6) {
        continue;
      }
      statuses.merge(
          judge.judgeCompressed(mutated, wrapped, wrapping + " " + i + ", seed " + SEED.value()),
          1,
          Integer::sum);
    }
    System.out.println("MutatedImagesTest: " + wrapping + ", by status " + statuses);
  }

  @ParameterizedTest
  @MethodSource("compressions")
  void aCompressedStreamWithoutItsEnd(Wrapping wrapping) throws IOException, InterruptedException {
    byte[] wrapped = Files.readAllBytes(wrapping.wrap(image));
    for (int missing : List.of(1, 4, 9, wrapped.length / 2)) {
      Answer answer =
          service.http().put("/upload", Arrays.copyOf(wrapped, wrapped.length - missing));
      assertTrue(answer.status() == 422, () -> missing + " bytes missing: " + answer);
      answer.problem();
      volume.assertEmpty();
    }
  }

  private static byte[] mutate(byte[] original, Random random) {
    byte[] mutated = original.clone();
    switch (random.nextInt(6)) {
      case 0 -> {
        return Arrays.copyOf(original, random.nextInt(1, original.length));
      }
      case 1 -> {
        for (int i = random.nextInt(1, 9); i > 0; i--) {
          mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
        }
      }
      case 2 -> {
        // Overwrites a word, which may be an entry of a table. The new value is an offset, which
        // may be outside of the file.
        int word = 8 * random.nextInt(mutated.length / 8);
        long value = random.nextBoolean() ? 512L * random.nextInt(1024) : random.nextLong();
        ByteBuffer.wrap(mutated).putLong(word, value | (random.nextBoolean() ? 1L << 63 : 0));
      }
      case 3 ->
          mutated[random.nextInt(Math.min(512, mutated.length))] ^= (byte) (1 << random.nextInt(8));
      case 4 -> {
        int length = random.nextInt(1, Math.min(4096, mutated.length / 2));
        int from = random.nextInt(mutated.length - length);
        int to = random.nextInt(mutated.length - length);
        System.arraycopy(original, from, mutated, to, length);
      }
      default -> {
        // Removes bytes in the middle, so that all following bytes move.
        int length = random.nextInt(1, Math.min(4096, mutated.length / 2));
        int at = random.nextInt(mutated.length - length);
        System.arraycopy(original, at + length, mutated, at, mutated.length - at - length);
        return Arrays.copyOf(mutated, mutated.length - length);
      }
    }
    return mutated;
  }
}

package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the reader with damaged images. The reader must refuse a damaged image, or decode the same
/// disk as QEMU.
@Tag("tools")
class Qcow2MutationTest {
  private static final long CAPACITY = 64 << 20;
  private static final int MUTATIONS = Rounds.of(20, 60);
  private static final int HEADER_BITS = 112 * 8;

  /// QEMU reads only every `STEP`-th image with a changed header bit, because each comparison
  /// starts a process. `STEP` is odd, so the changed bits of the compared images cover all eight
  /// bit positions of a byte.
  private static final int STEP = Rounds.of(5, 1);

  @TempDir private Path directory = Path.of("");
  private Path image = Path.of("");
  private Path disk = Path.of("");
  private Path expected = Path.of("");
  private int decoded;
  private boolean comparable = true;

  @BeforeEach
  void names() {
    image = directory.resolve("damaged.qcow2");
    disk = directory.resolve("disk.raw");
    expected = directory.resolve("expected.raw");
  }

  @Test
  void everyHeaderBitFlipped() throws Exception {
    byte[] source = new ImageBytes().toArray();
    byte[] whole = decodedByQemu(source);
    for (int bit = 0; bit < HEADER_BITS; bit++) {
      byte[] damaged = source.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      comparable = bit % STEP == 0;
      check("header bit " + bit, damaged, whole);
    }
    assertTrue(decoded > 0, "nothing was decoded");
  }

  @Test
  void cutAnywhere() throws Exception {
    long seed = 4;
    Random random = new Random(seed);
    for (Map.Entry<String, byte[]> base : bases(new Random(5)).entrySet()) {
      byte[] source = base.getValue();
      byte[] whole = decodedByQemu(source);
      for (int i = 0; i < MUTATIONS; i++) {
        int length = source.length - 1 - random.nextInt(i < MUTATIONS / 2 ? 2048 : source.length);
        check(
            "seed " + seed + ", " + base.getKey() + " cut to " + length,
            Arrays.copyOf(source, length),
            whole);
      }
    }
  }

  @Test
  void damagedAnywhere() throws Exception {
    long seed = Long.getLong("qcow2.seed", 6);
    Random random = new Random(seed);
    for (Map.Entry<String, byte[]> base : bases(new Random(7)).entrySet()) {
      byte[] whole = decodedByQemu(base.getValue());
      for (int i = 0; i < MUTATIONS; i++) {
        byte[] damaged = base.getValue().clone();
        int at =
            random.nextInt(3) == 0 ? random.nextInt(damaged.length) : metadata(damaged, random);
        // Decoding a damaged frame without a checksum gives different bytes in different versions
        // of libzstd.
        comparable = !base.getKey().contains("zstd") || inTable(base.getValue(), at);
        String what = damage(damaged, at, random);
        check("seed " + seed + ", " + base.getKey() + " #" + i + ": " + what, damaged, whole);
      }
    }
    assertTrue(decoded > 0, "nothing was decoded");
  }

  private Map<String, byte[]> bases(Random random) throws IOException, InterruptedException {
    Map<String, byte[]> bases = new LinkedHashMap<>();
    bases.put("built", new ImageBytes().toArray());
    for (String options :
        List.of(
            "compat=0.10,cluster_size=4k",
            "extended_l2=on,cluster_size=16k",
            "compression_type=zstd,cluster_size=4k",
            "preallocation=metadata")) {
      Path raw = directory.resolve("base.raw");
      byte[] content = new byte[1 << 20];
      for (int i = 0; i < content.length; i++) {
        content[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt() : 'x');
      }
      Arrays.fill(content, 300_000, 500_000, (byte) 0);
      Files.write(raw, content);
      Path base = directory.resolve("base.qcow2");
      List<Object> convert = new ArrayList<>(List.of("convert", "-f", "raw", "-O", "qcow2"));
      convert.addAll(List.of("-o", options));
      if (options.contains("zstd")) {
        convert.add("-c");
      }
      convert.addAll(List.of(raw, base));
      Qemu.img(convert.toArray()).ok();
      Qemu.io(base, List.of("write -P 1 20000 3000", "write -z 40960 4096", "write -P 2 1000K 2K"));
      bases.put(options, Files.readAllBytes(base));
    }
    return bases;
  }

  private static String damage(byte[] bytes, int start, Random random) {
    StringBuilder what = new StringBuilder();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      int at = Math.min(bytes.length - 1, start + random.nextInt(4));
      bytes[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
            case 1 -> (byte) random.nextInt();
            case 2 -> (byte) -1;
            default -> 0;
          };
      what.append(" byte ").append(at).append(" = ").append(bytes[at]);
    }
    return what.toString();
  }

  /// Returns the offset of a random byte in the header or in a table. Prefers non-zero entries.
  private static int metadata(byte[] bytes, Random random) {
    List<Integer> tables = tables(bytes);
    int cluster = 1 << ByteBuffer.wrap(bytes).getInt(20);
    int table = tables.get(random.nextInt(tables.size()));
    if (table == 0) {
      return random.nextInt(112);
    }
    int entry = 0;
    for (int tries = 0; tries < 50 && ByteBuffer.wrap(bytes).getLong(table + entry) == 0; tries++) {
      entry = 8 * random.nextInt(cluster / 8);
    }
    return table + entry + random.nextInt(8);
  }

  private static boolean inTable(byte[] bytes, int offset) {
    int cluster = 1 << ByteBuffer.wrap(bytes).getInt(20);
    return tables(bytes).contains(offset & -cluster);
  }

  /// Returns the offsets of the header, the L1 table, the refcount table and the L2 tables.
  private static List<Integer> tables(byte[] bytes) {
    ByteBuffer image = ByteBuffer.wrap(bytes);
    int l1 = (int) image.getLong(40);
    List<Integer> tables = new ArrayList<>(List.of(0, l1, (int) image.getLong(48)));
    for (int i = 0; i < image.getInt(36); i++) {
      long entry = image.getLong(l1 + 8 * i) & 0xff_ffff_ffff_fe00L;
      if (entry != 0) {
        tables.add((int) entry);
      }
    }
    return tables;
  }

  private void check(String name, byte[] damaged, byte[] whole)
      throws IOException, InterruptedException {
    try (RawFile sink = new RawFile(disk, CAPACITY)) {
      new Qcow2Reader(Qcow2Limits.defaults())
          .decode(new ByteArrayInputStream(damaged), OptionalLong.empty(), sink);
    } catch (MalformedImageException | UnsupportedFeatureException | ExceedsVolumeException _) {
      return;
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(name, e);
    }
    if (!comparable) {
      return;
    }
    decoded++;
    Files.write(image, damaged);
    Files.deleteIfExists(expected);
    Command.Ran qemu = Qemu.img("convert", "-f", "qcow2", "-O", "raw", image, expected);
    if (qemu.status() == 0) {
      assertEquals(-1, Files.mismatch(expected, disk), name);
    } else {
      // QEMU refused the image, because QEMU also validates data that the reader does not need. Our
      // decoded disk must equal the disk of the undamaged image.
      assertEquals(-1, Arrays.mismatch(whole, Files.readAllBytes(disk)), name + ": " + qemu);
    }
  }

  private byte[] decodedByQemu(byte[] source) throws IOException, InterruptedException {
    Files.write(image, source);
    Qemu.img("convert", "-f", "qcow2", "-O", "raw", image, expected).ok();
    return Files.readAllBytes(expected);
  }
}

package dev.pvcpopulators.diskimage.qcow2;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Recipes for small images of many kinds, which QEMU's tools create. `make test` uses every fifth
/// recipe. Because of the order of the recipes, only `make nightly` uses the most expensive
/// recipes.
final class Zoo {
  /// Creates one image in a directory and returns its path.
  interface Recipe {
    Path make(Path directory, Random random) throws IOException, InterruptedException;
  }

  private static final int MIB = 1 << 20;

  private Zoo() {}

  static Map<String, Recipe> recipes() {
    Map<String, Recipe> zoo = new LinkedHashMap<>();
    for (String options :
        List.of(
            "compat=0.10",
            "compat=0.10,cluster_size=512",
            "compat=v3",
            "cluster_size=512",
            "cluster_size=4k",
            "cluster_size=2M",
            "extended_l2=on",
            "extended_l2=on,cluster_size=16k",
            "extended_l2=on,cluster_size=2M",
            "refcount_bits=1",
            "refcount_bits=64",
            "lazy_refcounts=on",
            "preallocation=metadata",
            "preallocation=falloc",
            "preallocation=full",
            "preallocation=metadata,cluster_size=2M",
            "preallocation=metadata,cluster_size=512",
            "preallocation=metadata,extended_l2=on",
            "preallocation=full,extended_l2=on,cluster_size=16k")) {
      zoo.put("convert " + options, (directory, random) -> convert(directory, random, options));
      zoo.put(
          "guest writes " + options,
          (directory, random) -> guestWrites(directory, random, options));
    }
    for (String options :
        List.of(
            "compat=0.10",
            "compression_type=zlib",
            "compression_type=zstd",
            "cluster_size=4k,compression_type=zstd",
            "cluster_size=512",
            "cluster_size=2M",
            "cluster_size=2M,compression_type=zstd",
            "extended_l2=on",
            "extended_l2=on,compression_type=zstd,cluster_size=16k")) {
      zoo.put(
          "compressed " + options,
          (directory, random) -> convert(directory, random, options, "-c"));
      zoo.put(
          "compressed, then written " + options,
          (d, random) -> compressedThenWritten(d, random, options));
    }
    zoo.put(
        "compressed out of order",
        (d, random) -> convert(d, random, "compat=v3", "-c", "-W", "-m", "16"));
    zoo.put(
        "converted out of order", (d, random) -> convert(d, random, "compat=v3", "-W", "-m", "16"));
    zoo.put(
        "converted with zeros written", (d, random) -> convert(d, random, "compat=v3", "-S", "0"));
    zoo.put("empty disk", (d, _) -> create(d, "compat=v3", 0));
    zoo.put(
        "one sector",
        (d, random) -> write(create(d, "compat=v3", 512), List.of("write -P 7 0 512")));
    zoo.put("nothing written", (d, _) -> create(d, "compat=v3", 3L << 40));
    zoo.put("far end of a large disk", Zoo::farEnd);
    zoo.put("snapshot taken", (d, random) -> snapshots(d, random, 1));
    zoo.put("snapshot reverted", (d, random) -> snapshots(d, random, 2));
    zoo.put("snapshot deleted", (d, random) -> snapshots(d, random, 3));
    zoo.put("snapshot with subclusters", Zoo::snapshotWithSubclusters);
    zoo.put("grown past 512 MiB", (d, random) -> grown(d, random, "compat=v3", "6G"));
    zoo.put("grown with small clusters", (d, random) -> grown(d, random, "cluster_size=4k", "3G"));
    zoo.put("grown and compressed", Zoo::grownCompressed);
    zoo.put("grown with preallocation", Zoo::grownPreallocated);
    zoo.put("shrunk", Zoo::shrunk);
    zoo.put("bitmaps", Zoo::bitmaps);
    zoo.put("amended to version 2", (d, random) -> amended(d, random, "compat=v3", "compat=0.10"));
    zoo.put("amended to version 3", (d, random) -> amended(d, random, "compat=0.10", "compat=v3"));
    zoo.put(
        "amended refcounts", (d, random) -> amended(d, random, "compat=v3", "refcount_bits=64"));
    zoo.put("committed and rebased", Zoo::rebased);
    for (int size : new int[] {512, 66_048, 5 * MIB + 512, 9 * MIB + 65_536 - 512}) {
      for (String options :
          List.of(
              "compat=v3",
              "extended_l2=on",
              "cluster_size=2M",
              "preallocation=full",
              "preallocation=metadata")) {
        zoo.put(
            "odd size " + size + " " + options, (d, random) -> oddSize(d, random, options, size));
      }
      zoo.put(
          "odd size " + size + " compressed", (d, random) -> oddSizeCompressed(d, random, size));
    }
    return zoo;
  }

  static Path create(Path directory, String options, long size)
      throws IOException, InterruptedException {
    Path image = directory.resolve("image.qcow2");
    Qemu.img("create", "-f", "qcow2", "-o", options, image, size).ok();
    return image;
  }

  private static Path write(Path image, List<String> commands)
      throws IOException, InterruptedException {
    Qemu.io(image, commands);
    return image;
  }

  private static Path convert(Path directory, Random random, String options, String... more)
      throws IOException, InterruptedException {
    return convert(directory, raw(directory, random, 8L * MIB), options, more);
  }

  private static Path convert(Path directory, Path raw, String options, String... more)
      throws IOException, InterruptedException {
    Path image = directory.resolve("image.qcow2");
    List<Object> arguments =
        new ArrayList<>(List.of("convert", "-f", "raw", "-O", "qcow2", "-o", options));
    arguments.addAll(List.of(more));
    arguments.add(raw);
    arguments.add(image);
    Qemu.img(arguments.toArray()).ok();
    return image;
  }

  /// Creates a raw file with runs of random bytes, runs of text-like bytes, and holes.
  private static Path raw(Path directory, Random random, long size) throws IOException {
    Path raw = directory.resolve("source.raw");
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.setLength(size);
      for (long at = 0; at < size; ) {
        byte[] run = new byte[(int) Math.min(size - at, 512L * (1 + random.nextInt(600)))];
        int kind = random.nextInt(3);
        if (kind == 0) {
          random.nextBytes(run);
        } else if (kind == 1) {
          for (int i = 0; i < run.length; i++) {
            run[i] = (byte) ('a' + random.nextInt(4));
          }
        }
        file.seek(at);
        if (kind != 2) {
          file.write(run);
        }
        at += run.length;
      }
    }
    return raw;
  }

  private static Path guestWrites(Path directory, Random random, String options)
      throws IOException, InterruptedException {
    Path image = create(directory, options, 8L * MIB);
    write(image, randomWrites(random, 8 * MIB, 90));
    return write(image, randomWrites(random, 8 * MIB, 30));
  }

  /// Returns random commands that write, zero or discard whole sectors.
  private static List<String> randomWrites(Random random, int size, int count) {
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int length = Math.min(size, 512 * (1 + random.nextInt(random.nextInt(8) == 0 ? 2000 : 120)));
      int offset = 512 * random.nextInt((size - length) / 512 + 1);
      String place = " " + offset + " " + length;
      commands.add(
          switch (random.nextInt(8)) {
            case 0 -> "write -z" + place;
            case 1 -> "write -z -u" + place;
            case 2 -> "discard" + place;
            default -> "write -P " + (1 + random.nextInt(254)) + place;
          });
    }
    return commands;
  }

  private static Path compressedThenWritten(Path directory, Random random, String options)
      throws IOException, InterruptedException {
    Path image = convert(directory, random, options, "-c");
    return write(image, randomWrites(random, 8 * MIB, 40));
  }

  private static Path farEnd(Path directory, Random random)
      throws IOException, InterruptedException {
    long size = 2L << 40;
    List<String> commands = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      long offset = random.nextLong(size - MIB) & -512;
      commands.add("write -P " + (1 + i) + " " + offset + " 65536");
    }
    commands.add("write -P 99 " + (size - 512) + " 512");
    return write(create(directory, "compat=v3", size), commands);
  }

  private static Path snapshots(Path directory, Random random, int steps)
      throws IOException, InterruptedException {
    Path image = create(directory, "compat=v3", 24L * MIB);
    write(image, randomWrites(random, 24 * MIB, 60));
    Qemu.img("snapshot", "-c", "first", image).ok();
    write(image, randomWrites(random, 24 * MIB, 60));
    Qemu.img("snapshot", "-c", "second", image).ok();
    write(image, randomWrites(random, 24 * MIB, 60));
    if (steps >= 2) {
      Qemu.img("snapshot", "-a", "first", image).ok();
      write(image, randomWrites(random, 24 * MIB, 30));
    }
    if (steps >= 3) {
      Qemu.img("snapshot", "-d", "first", image).ok();
      write(image, randomWrites(random, 24 * MIB, 30));
    }
    return image;
  }

  private static Path snapshotWithSubclusters(Path directory, Random random)
      throws IOException, InterruptedException {
    Path image = create(directory, "extended_l2=on", 24L * MIB);
    write(image, randomWrites(random, 24 * MIB, 60));
    Qemu.img("snapshot", "-c", "first", image).ok();
    return write(image, randomWrites(random, 24 * MIB, 90));
  }

  /// Creates an image and grows it with `qemu-img resize`. The resize moves the L1 table to the end
  /// of the file.
  private static Path grown(Path directory, Random random, String options, String size)
      throws IOException, InterruptedException {
    Path image = create(directory, options, 40L * MIB);
    write(image, randomWrites(random, 40 * MIB, 90));
    Qemu.img("resize", image, size).ok();
    return write(
        image,
        List.of(
            "write -P 5 1000M 65536",
            "write -P 6 2G 65536",
            "write -P 7 5M 3M",
            "write -P 8 700M 100K"));
  }

  private static Path grownPreallocated(Path directory, Random random)
      throws IOException, InterruptedException {
    Path image = create(directory, "preallocation=metadata", 40L * MIB);
    write(image, randomWrites(random, 40 * MIB, 40));
    Qemu.img("resize", "--preallocation=metadata", image, "600M").ok();
    return write(image, List.of("write -P 8 599M 1M", "write -P 9 1M 8K"));
  }

  private static Path grownCompressed(Path directory, Random random)
      throws IOException, InterruptedException {
    Path image = convert(directory, random, "compat=v3", "-c");
    Qemu.img("resize", image, "3G").ok();
    return write(image, List.of("write -P 8 2G 1M", "write -P 9 1M 8K"));
  }

  private static Path shrunk(Path directory, Random random)
      throws IOException, InterruptedException {
    Path image = create(directory, "compat=v3", 700L * MIB);
    write(image, randomWrites(random, 24 * MIB, 60));
    write(image, List.of("write -P 1 600M 2M"));
    Qemu.img("resize", "--shrink", image, 11 * MIB + 512).ok();
    return image;
  }

  private static Path bitmaps(Path directory, Random random)
      throws IOException, InterruptedException {
    Path image = create(directory, "compat=v3", 24L * MIB);
    Qemu.img("bitmap", "--add", image, "b0").ok();
    write(image, randomWrites(random, 24 * MIB, 60));
    Qemu.img("bitmap", "--add", "-g", "4096", image, "b1").ok();
    return write(image, randomWrites(random, 24 * MIB, 60));
  }

  private static Path amended(Path directory, Random random, String from, String to)
      throws IOException, InterruptedException {
    Path image = guestWrites(directory, random, from);
    Qemu.img("amend", "-o", to, image).ok();
    return image;
  }

  private static Path rebased(Path directory, Random random)
      throws IOException, InterruptedException {
    Path backing = guestWrites(directory, random, "compat=v3");
    Path overlay = directory.resolve("overlay.qcow2");
    Qemu.img("create", "-f", "qcow2", "-b", backing, "-F", "qcow2", overlay, 16 * MIB).ok();
    write(overlay, randomWrites(random, 16 * MIB, 40));
    Qemu.img("rebase", "-b", "", overlay).ok();
    return overlay;
  }

  /// Creates a disk, and writes the last guest bytes of the disk after all other bytes.
  private static Path oddSize(Path directory, Random random, String options, int size)
      throws IOException, InterruptedException {
    List<String> commands = new ArrayList<>(randomWrites(random, size, 12));
    int tail = Math.min(size, 512 * (1 + random.nextInt(20)));
    commands.add("write -P 77 " + (size - tail) + " " + tail);
    return write(create(directory, options, size), commands);
  }

  private static Path oddSizeCompressed(Path directory, Random random, int size)
      throws IOException, InterruptedException {
    return convert(directory, raw(directory, random, size), "compat=v3", "-c");
  }
}

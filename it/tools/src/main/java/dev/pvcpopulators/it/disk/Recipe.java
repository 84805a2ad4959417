package dev.pvcpopulators.it.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/// A recipe that makes an image, in most cases with qemu-img and qemu-io.
///
/// @param name the name, which describes the special property of the image
/// @param format qemu-img's name of the format
public record Recipe(String name, String format, Maker maker) {
  private static final long LENGTH = 64L << 20;
  private static final String SIZE = "64M";

  /// Makes an image.
  public interface Maker {
    void make(Path image, Random random) throws IOException, InterruptedException;
  }

  /// Makes the image `disk.FORMAT` in a directory.
  public Path make(Path directory, Random random) throws IOException, InterruptedException {
    Path image = directory.resolve("disk." + format);
    maker.make(image, random);
    return image;
  }

  @Override
  public String toString() {
    return name;
  }

  /// Returns recipes for qcow2 images with common and with unusual options.
  public static List<Recipe> qcow2() {
    List<Recipe> recipes = new ArrayList<>();
    recipes.add(written("version 2", "compat=0.10"));
    for (String clusterSize : List.of("512", "1k", "4k", "64k", "512k", "2M")) {
      recipes.add(written("version 3, clusters of " + clusterSize, "cluster_size=" + clusterSize));
    }
    recipes.add(written("version 2, clusters of 512", "compat=0.10,cluster_size=512"));
    recipes.add(written("lazy_refcounts", "lazy_refcounts=on"));
    recipes.add(written("refcounts of 1 bit", "refcount_bits=1"));
    recipes.add(written("refcounts of 64 bits", "refcount_bits=64,cluster_size=4k"));
    recipes.add(written("extended_l2", "extended_l2=on,cluster_size=128k"));
    recipes.add(written("extended_l2, clusters of 16k", "extended_l2=on,cluster_size=16k"));
    recipes.add(written("preallocation=metadata", "preallocation=metadata"));
    recipes.add(written("preallocation=falloc", "preallocation=falloc"));
    recipes.add(written("preallocation=full", "preallocation=full"));
    recipes.add(compressed("compressed, zlib", "compression_type=zlib"));
    recipes.add(compressed("compressed, zlib, version 2", "compat=0.10"));
    recipes.add(compressed("compressed, zlib, 4k", "compression_type=zlib,cluster_size=4k"));
    recipes.add(compressed("compressed, zstd", "compression_type=zstd"));
    recipes.add(compressed("compressed, zstd, 2M", "compression_type=zstd,cluster_size=2M"));
    recipes.add(
        new Recipe("qcow2 compressed, written over", "qcow2", Recipe::compressedThenWritten));
    recipes.add(new Recipe("qcow2 zero clusters", "qcow2", Recipe::zeroClusters));
    recipes.add(new Recipe("qcow2 snapshots", "qcow2", Recipe::snapshots));
    recipes.add(new Recipe("qcow2 L1 at the end after resize", "qcow2", Recipe::resized));
    recipes.add(new Recipe("qcow2 L1 at the end, clusters of 512", "qcow2", Recipe::resizedSmall));
    recipes.add(new Recipe("qcow2 dirty after a crash", "qcow2", Recipe::crashed));
    recipes.add(new Recipe("qcow2 bitmap", "qcow2", Recipe::withBitmap));
    recipes.add(new Recipe("qcow2 nothing written", "qcow2", (image, _) -> create(image, "")));
    return List.copyOf(recipes);
  }

  /// Returns the recipe with this name, or fails the test.
  public static Recipe named(String name) {
    return Stream.of(qcow2(), raw(), foreign())
        .flatMap(List::stream)
        .filter(recipe -> recipe.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No recipe has the name " + name));
  }

  /// Returns recipes for raw disks.
  public static List<Recipe> raw() {
    return List.of(
        new Recipe("raw with holes", "raw", Recipe::rawWithHoles),
        new Recipe("raw of an odd number of sectors", "raw", Recipe::rawOdd),
        new Recipe("raw of zeros", "raw", (image, _) -> QemuImg.create(image, "raw", "", SIZE)));
  }

  /// Returns recipes for images in the formats that the services convert with qemu-img.
  public static List<Recipe> foreign() {
    return List.of(
        converted("VMDK, monolithicSparse", "vmdk", "subformat=monolithicSparse"),
        converted("VMDK, streamOptimized", "vmdk", "subformat=streamOptimized"),
        converted("VDI, dynamic", "vdi", "static=off"),
        converted("VDI, static", "vdi", "static=on"),
        converted("VHD, dynamic", "vpc", "subformat=dynamic,force_size=on"),
        converted("VHDX, dynamic", "vhdx", "subformat=dynamic"),
        converted("VHDX, fixed", "vhdx", "subformat=fixed"));
  }

  private static Recipe written(String name, String options) {
    return new Recipe(
        "qcow2 " + name,
        "qcow2",
        (image, random) -> {
          create(image, options);
          write(image, "qcow2", random, 40);
        });
  }

  private static Recipe compressed(String name, String options) {
    return new Recipe(
        "qcow2 " + name,
        "qcow2",
        (image, random) -> convert(image, random, "-c", "-O", "qcow2", "-o", options));
  }

  private static Recipe converted(String name, String format, String options) {
    return new Recipe(
        name, format, (image, random) -> convert(image, random, "-O", format, "-o", options));
  }

  private static void convert(Path image, Random random, String... options)
      throws IOException, InterruptedException {
    Path raw = rawBeside(image, random);
    List<String> line = new ArrayList<>(List.of("convert", "-f", "raw"));
    line.addAll(List.of(options));
    line.addAll(List.of(raw.toString(), image.toString()));
    QemuImg.run(line.toArray(String[]::new));
  }

  private static void create(Path image, String options) throws IOException, InterruptedException {
    QemuImg.create(image, "qcow2", options, SIZE);
  }

  private static void write(Path image, String format, Random random, int count)
      throws IOException, InterruptedException {
    Path content = QemuIo.incompressible(image.resolveSibling("content"), random);
    QemuIo.run(image, format, QemuIo.guestWrites(random, content, LENGTH, count, 512 << 10));
  }

  private static Path rawBeside(Path image, Random random)
      throws IOException, InterruptedException {
    Path raw = image.resolveSibling("source.raw");
    QemuImg.create(raw, "raw", "", SIZE);
    write(raw, "raw", random, 30);
    return raw;
  }

  private static void rawWithHoles(Path image, Random random)
      throws IOException, InterruptedException {
    QemuImg.create(image, "raw", "", SIZE);
    write(image, "raw", random, 40);
  }

  private static void rawOdd(Path image, Random random) throws IOException, InterruptedException {
    byte[] odd = new byte[(3 << 20) + 512];
    random.nextBytes(odd);
    Files.write(image, odd);
  }

  private static void compressedThenWritten(Path image, Random random)
      throws IOException, InterruptedException {
    compressed("", "cluster_size=64k").maker().make(image, random);
    write(image, "qcow2", random, 20);
  }

  private static void zeroClusters(Path image, Random random)
      throws IOException, InterruptedException {
    create(image, "cluster_size=4k");
    write(image, "qcow2", random, 20);
    QemuIo.run(
        image,
        "qcow2",
        List.of(
            "write -q -P 7 16M 8M",
            // The commands with `-z` write zeros to allocated clusters, to unallocated clusters,
            // and to a part of a cluster.
            "write -q -z 17M 2M",
            "write -q -z -u 20M 2M",
            "write -q -z 23M 1536",
            "write -q -z 40M 8M"));
  }

  private static void snapshots(Path image, Random random)
      throws IOException, InterruptedException {
    create(image, "cluster_size=16k");
    for (String snapshot : List.of("first", "second", "third")) {
      write(image, "qcow2", random, 15);
      QemuImg.run("snapshot", "-c", snapshot, image.toString());
    }
    QemuImg.run("snapshot", "-a", "second", image.toString());
    write(image, "qcow2", random, 15);
    QemuImg.run("snapshot", "-d", "first", image.toString());
    write(image, "qcow2", random, 15);
  }

  private static void resized(Path image, Random random) throws IOException, InterruptedException {
    QemuImg.create(image, "qcow2", "", "1G");
    write(image, "qcow2", random, 30);
    QemuImg.run("resize", "-q", image.toString(), "3G");
    QemuIo.run(image, "qcow2", List.of("write -q -P 9 2G 1M", "write -q -P 10 100M 1M"));
  }

  private static void resizedSmall(Path image, Random random)
      throws IOException, InterruptedException {
    QemuImg.create(image, "qcow2", "cluster_size=512", SIZE);
    write(image, "qcow2", random, 20);
    QemuImg.run("resize", "-q", image.toString(), "96M");
    QemuIo.run(image, "qcow2", List.of("write -q -P 9 80M 1M"));
  }

  private static void crashed(Path image, Random random) throws IOException, InterruptedException {
    create(image, "lazy_refcounts=on");
    Path content = QemuIo.incompressible(image.resolveSibling("content"), random);
    List<String> writes = new ArrayList<>(QemuIo.guestWrites(random, content, LENGTH, 20, 65536));
    writes.add("flush");
    QemuIo.runAndCrash(image, "qcow2", writes);
  }

  private static void withBitmap(Path image, Random random)
      throws IOException, InterruptedException {
    create(image, "");
    QemuImg.run("bitmap", "--add", image.toString(), "dirty-blocks");
    write(image, "qcow2", random, 20);
  }
}

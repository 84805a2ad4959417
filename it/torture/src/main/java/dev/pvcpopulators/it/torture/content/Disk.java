package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.Wrapping;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/// A disk image that a client uploads, or that a service copies.
///
/// @param name the name, which describes the properties of the image
/// @param image the file
/// @param expected the raw disk that qemu-img makes from the image, padded with zeros to a multiple
///   of 1 MiB
public record Disk(String name, Path image, Path expected) {
  private static final long ALIGNMENT = 1 << 20;

  /// Makes disks that together cover every kind of import: decoding during the transfer, staging,
  /// decompression and unpacking, and conversion by another program.
  public static List<Disk> all(Path work, Random random) throws IOException, InterruptedException {
    List<Disk> disks = new ArrayList<>();
    disks.add(of(work, "raw with holes", Wrapping.GZIP, random));
    disks.add(of(work, "raw of an odd number of sectors", Wrapping.NONE, random));
    disks.add(of(work, "qcow2 version 3, clusters of 64k", Wrapping.NONE, random));
    disks.add(of(work, "qcow2 compressed, zlib", Wrapping.NONE, random));
    disks.add(of(work, "qcow2 compressed, zstd", Wrapping.XZ, random));
    disks.add(of(work, "qcow2 L1 at the end, clusters of 512", Wrapping.NONE, random));
    disks.add(of(work, "qcow2 snapshots", Wrapping.ZSTD, random));
    disks.add(of(work, "VMDK, streamOptimized", Wrapping.NONE, random));
    disks.add(inTar(work, disks.get(2)));
    return List.copyOf(disks);
  }

  private static Disk of(Path work, String recipe, Wrapping wrapping, Random random)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(work, "disk");
    Recipe made = Recipe.named(recipe);
    Path image = made.make(directory, random);
    Path expected = directory.resolve("expected.raw");
    QemuImg.toRaw(image, made.format(), expected);
    align(expected);
    String suffix = wrapping == Wrapping.NONE ? "" : " in " + wrapping;
    return new Disk(recipe + suffix, wrapping.wrap(image), expected);
  }

  private static Disk inTar(Path work, Disk disk) throws IOException {
    Path tar = Files.createTempFile(work, "disk", ".tar");
    Path image = disk.image();
    Command.run(
        "tar",
        "-C",
        Objects.requireNonNull(image.getParent()).toString(),
        "-cf",
        tar.toString(),
        image.getFileName().toString());
    return new Disk(disk.name() + " in tar", tar, disk.expected());
  }

  private static void align(Path raw) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.setLength(Math.ceilDiv(file.length(), ALIGNMENT) * ALIGNMENT);
    }
  }
}

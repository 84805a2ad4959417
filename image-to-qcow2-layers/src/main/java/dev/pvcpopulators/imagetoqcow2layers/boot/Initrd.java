package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/// Writes the initial file system, which consists of two archives. The first archive contains
/// busybox, the modules that a virtual machine needs, and `/init`. The second archive follows at an
/// aligned offset, and contains the settings of one image.
public final class Initrd {
  private static final int MAX_BUSYBOX_LENGTH = 32 << 20;

  /// The compression level. The highest level would take five times as long, and would make the
  /// archive only 0.5 % smaller.
  private static final int COMPRESSION_LEVEL = 6;

  private static final List<String> DIRECTORIES =
      List.of("bin", "dev", "etc", "image", "modules", "newroot", "proc", "run", "sys");

  /// Modules that `/init` loads together.
  ///
  /// @param name the name of the list in `/modules`
  /// @param required modules that every kernel must have
  /// @param optional modules that some kernels lack
  private record Drivers(String name, List<String> required, List<String> optional) {}

  private static final List<Drivers> DRIVERS =
      List.of(
          new Drivers("bus", List.of("virtio_pci"), List.of()),
          new Drivers("block", List.of("virtio_blk"), List.of()),
          new Drivers("scsi", List.of(), List.of("virtio_scsi", "sd_mod")),
          new Drivers("net", List.of("virtio_net"), List.of("af_packet")),
          // ext4 loads a checksum module by name at run time; depmod does not know this dependency.
          new Drivers("disk", List.of("ext4"), List.of("crc32c_generic")),
          new Drivers("button", List.of("button", "evdev"), List.of()),
          new Drivers("overlay", List.of(), List.of("overlay")));

  private Initrd() {}

  /// Writes an initial file system. Equal kernels and processes give the same bytes.
  ///
  /// @param file the path of the file to create; an existing file is replaced
  /// @throws java.nio.file.NoSuchFileException if the kernel lacks a required module
  /// @throws UnsupportedFeatureException if the stop signal of the process is unknown
  public static void write(Path file, GuestKernel kernel, GuestProcess process) throws IOException {
    GuestFiles image = new GuestFiles(process, Resource.text("launch.sh"));
    byte[] common = common(kernel);
    byte[] configuration = configuration(image);
    try (OutputStream stream = new BufferedOutputStream(Files.newOutputStream(file))) {
      stream.write(common);
      // Linux ignores an archive that does not begin at a multiple of four bytes.
      stream.write(new byte[-common.length & (NewcArchive.ALIGNMENT - 1)]);
      stream.write(configuration);
    }
  }

  /// Returns the first archive, compressed.
  private static byte[] common(GuestKernel kernel) throws IOException {
    GzipParameters header = new GzipParameters();
    header.setCompressionLevel(COMPRESSION_LEVEL);
    header.setModificationTime(0);
    header.setOS(GzipParameters.OS.UNKNOWN);
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (NewcArchive archive =
        new NewcArchive(new GzipCompressorOutputStream(compressed, header))) {
      for (String directory : DIRECTORIES) {
        archive.directory(directory);
      }
      archive.console("dev/console");
      archive.file("init", Resource.bytes("init.sh"));
      archive.file("process.sh", Resource.bytes("process.sh"));
      archive.file("dhcp.sh", Resource.bytes("dhcp.sh"));
      archive.file("bin/busybox", KernelModules.bytes(kernel.busybox(), MAX_BUSYBOX_LENGTH));
      modules(archive, KernelModules.read(kernel.modules()));
    }
    return compressed.toByteArray();
  }

  /// Adds the modules, and lists of their names in loading order.
  private static void modules(NewcArchive archive, KernelModules modules) throws IOException {
    SequencedSet<String> all = new LinkedHashSet<>();
    for (Drivers drivers : DRIVERS) {
      SequencedSet<String> order = new LinkedHashSet<>();
      for (String name : drivers.required()) {
        order.addAll(modules.loadOrder(name));
      }
      for (String name : drivers.optional()) {
        if (modules.has(name)) {
          order.addAll(modules.loadOrder(name));
        }
      }
      all.addAll(order);
      String list = String.join("", order.stream().map(name -> name + ".ko\n").toList());
      archive.file("modules/" + drivers.name() + ".order", list.getBytes(UTF_8));
    }
    for (String name : all) {
      archive.file("modules/" + name + ".ko", modules.content(name));
    }
  }

  /// Returns the second archive.
  private static byte[] configuration(GuestFiles image) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (NewcArchive archive = new NewcArchive(bytes)) {
      archive.file("etc/passwd", image.passwd().getBytes(UTF_8));
      archive.file("etc/group", image.group().getBytes(UTF_8));
      archive.file("image/settings", image.settings().getBytes(UTF_8));
      archive.file("image/process", image.launchScript().getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }
}

package dev.pvcpopulators.imagetoqcow2layers.machine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer;
import dev.pvcpopulators.ext4.Ext4;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.imagetoqcow2layers.boot.GuestKernel;
import dev.pvcpopulators.imagetoqcow2layers.boot.Initrd;
import dev.pvcpopulators.imagetoqcow2layers.boot.KubeVirtMachine;
import dev.pvcpopulators.imagetoqcow2layers.boot.LibvirtDomain;
import dev.pvcpopulators.imagetoqcow2layers.boot.Machine;
import dev.pvcpopulators.imagetoqcow2layers.boot.VmJson;
import dev.pvcpopulators.imagetoqcow2layers.store.QcowDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/// Writes the files in a machine's directory.
///
/// @param directory the directory of the machine's files; the caller creates it
public record MachineFiles(Path directory) {
  /// The base-2 logarithm of the cluster size of writable disks. The cluster size is 64 KiB, which
  /// is QEMU's default.
  private static final int CLUSTER_BITS = 16;

  /// The mode of the disks: the owner and the pod's group may read and write. A flattened disk
  /// (`disk.img`) has the same mode.
  private static final String DISK_MODE = "rw-rw----";

  private static final String SCRIPT_MODE = "rwxr-xr-x";
  private static final String FILE_MODE = "rw-r--r--";

  /// Makes the disk that the machine writes to.
  ///
  /// @param below the layers below the disk; the caller closes them
  /// @param backingName the path of the topmost layer's file, relative to this directory
  /// @param geometry the geometry of the file system in the layers
  /// @param journal whether to add a journal to the file system
  public void disk(Qcow2Chain below, String backingName, Geometry geometry, boolean journal)
      throws IOException {
    Path file = directory.resolve(Machine.DISK);
    Qcow2Writer.Options options =
        new Qcow2Writer.Options(geometry.size(), CLUSTER_BITS, Optional.of(backingName), false);
    try (Qcow2Writer writer = Qcow2Writer.create(file, options, below)) {
      if (journal) {
        Ext4.addJournal(new QcowDevice(writer, geometry), Ext4.journalLength(geometry));
      }
      writer.finish();
    }
    mode(file, DISK_MODE);
  }

  /// Makes the disk for the image's volumes, with an empty file system.
  public void data(Geometry geometry) throws IOException {
    Path file = directory.resolve(Machine.DATA);
    Qcow2Writer.Options options =
        new Qcow2Writer.Options(geometry.size(), CLUSTER_BITS, Optional.empty(), false);
    try (Qcow2Chain nothing = Qcow2Chain.open(List.of(), geometry.size());
        Qcow2Writer writer = Qcow2Writer.create(file, options, nothing)) {
      QcowDevice device = new QcowDevice(writer, geometry);
      Ext4.format(device, geometry);
      Ext4.addJournal(device, Ext4.journalLength(geometry));
      writer.finish();
    }
    mode(file, DISK_MODE);
  }

  /// Creates hard links to the disks of the replaced machine. The disks remain the same files, so a
  /// running machine can continue to use them.
  ///
  /// @param from the directory of the replaced machine
  public void keepDisks(Path from) throws IOException {
    for (String name : List.of(Machine.DISK, Machine.DATA)) {
      if (Files.exists(from.resolve(name))) {
        Files.createLink(directory.resolve(name), from.resolve(name));
      }
    }
  }

  /// Writes `vm.json` and, if there is a kernel, also the kernel, the initial file system and the
  /// files that boot the machine.
  public void boot(Machine machine, Optional<GuestKernel> kernel) throws IOException {
    if (kernel.isPresent()) {
      Path vmlinuz = directory.resolve(Machine.KERNEL);
      Files.copy(kernel.get().vmlinuz(), vmlinuz, StandardCopyOption.REPLACE_EXISTING);
      mode(vmlinuz, FILE_MODE);
      Path initrd = directory.resolve(Machine.INITRD);
      Initrd.write(initrd, kernel.get(), machine.process());
      mode(initrd, FILE_MODE);
      text("run.sh", machine.qemuScript(), SCRIPT_MODE);
      text("domain.xml", LibvirtDomain.of(machine), FILE_MODE);
      text("virtual-machine.yaml", KubeVirtMachine.of(machine), FILE_MODE);
      text("Containerfile", machine.kernelContainerfile(), FILE_MODE);
    }
    text("vm.json", VmJson.of(machine), FILE_MODE);
  }

  private void text(String name, String text, String mode) throws IOException {
    Path file = directory.resolve(name);
    Files.write(file, text.getBytes(UTF_8));
    mode(file, mode);
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }
}

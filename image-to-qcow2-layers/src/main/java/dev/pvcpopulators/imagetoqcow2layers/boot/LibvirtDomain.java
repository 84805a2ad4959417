package dev.pvcpopulators.imagetoqcow2layers.boot;

/// Generates the content of `domain.xml` (libvirt, "Domain XML format").
public final class LibvirtDomain {
  private static final String DISK =
      """
          <disk type="file" device="disk">
            <driver name="qemu" type="qcow2"/>
            <source file="@DIRECTORY@/@FILE@"/>
            <target dev="@DEVICE@" bus="virtio"/>
          </disk>
      """;

  private LibvirtDomain() {}

  /// Returns the document for `virsh create`. libvirt requires absolute paths, so the document
  /// contains the placeholder `@DIRECTORY@`, which the user replaces with the machine's directory.
  public static String of(Machine machine) {
    String disks = disk(Machine.DISK, "vda");
    if (machine.dataVolume()) {
      disks += disk(Machine.DATA, "vdb");
    }
    return Resource.text("domain.template")
        .replace("@DISKS@", disks)
        .replace("@MEMORY@", Integer.toString(Machine.MEMORY_MEBIBYTES))
        .replace("@CPUS@", Integer.toString(Machine.CPUS))
        .replace("@APPEND@", escaped(machine.commandLine()))
        .replace("@NAME@", escaped(machine.name()))
        .replace("@IMAGE@", escaped(machine.shownImage()));
  }

  private static String disk(String file, String device) {
    return DISK.replace("@FILE@", file).replace("@DEVICE@", device);
  }

  /// Escapes text for an XML element (XML 1.0, 2.4). Also escapes `@`, so that no part of the text
  /// looks like a placeholder.
  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;");
  }
}

package dev.pvcpopulators.imagetoqcow2layers.boot;

/// Writes `domain.xml` (libvirt, "Domain XML format").
final class LibvirtDomain {
  private static final String DOMAIN =
      """
      <!-- libvirt wants absolute paths:
           sed "s|@[D]IRECTORY@|$PWD|" domain.xml >/tmp/domain.xml && virsh create /tmp/domain.xml
           The process's exit code is the one byte of the file exit when the machine has ended. -->
      <domain type="kvm">
        <name>@NAME@</name>
        <description>@IMAGE@</description>
        <memory unit="MiB">@MEMORY@</memory>
        <vcpu>@CPUS@</vcpu>
        <os>
          <type arch="x86_64" machine="q35">hvm</type>
          <kernel>@DIRECTORY@/vmlinuz</kernel>
          <initrd>@DIRECTORY@/initrd</initrd>
          <cmdline>@APPEND@</cmdline>
        </os>
        <features>
          <acpi/>
          <apic/>
        </features>
        <cpu mode="host-passthrough"/>
        <on_poweroff>destroy</on_poweroff>
        <on_reboot>destroy</on_reboot>
        <on_crash>destroy</on_crash>
        <devices>
      @DISKS@    <interface type="network">
            <source network="default"/>
            <model type="virtio"/>
          </interface>
          <serial type="pty">
            <target port="0"/>
          </serial>
          <serial type="file">
            <source path="@DIRECTORY@/exit"/>
            <target port="1"/>
          </serial>
          <console type="pty">
            <target type="serial" port="0"/>
          </console>
          <rng model="virtio">
            <backend model="random">/dev/urandom</backend>
          </rng>
        </devices>
      </domain>
      """;

  private static final String DISK =
      """
          <disk type="file" device="disk">
            <driver name="qemu" type="qcow2"/>
            <source file="@DIRECTORY@/@FILE@"/>
            <target dev="@DEVICE@" bus="virtio"/>
          </disk>
      """;

  private LibvirtDomain() {}

  static String of(Machine machine) {
    String disks = disk(MachineDefaults.DISK, "vda");
    if (machine.dataVolume()) {
      disks += disk(MachineDefaults.DATA, "vdb");
    }
    // Values from the image are inserted last, so that no text in them is taken for a placeholder.
    return DOMAIN
        .replace("@DISKS@", disks)
        .replace("@MEMORY@", Integer.toString(MachineDefaults.MEMORY_MEBIBYTES))
        .replace("@CPUS@", Integer.toString(MachineDefaults.CPUS))
        .replace("@APPEND@", escaped(machine.commandLine()))
        .replace("@NAME@", escaped(machine.name()))
        .replace("@IMAGE@", escaped(machine.shownImage()));
  }

  private static String disk(String file, String device) {
    return DISK.replace("@FILE@", file).replace("@DEVICE@", device);
  }

  /// Escapes text for an element (XML 1.0, 2.4), and `@`, so that it contains no placeholder.
  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;");
  }
}

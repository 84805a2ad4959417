package dev.pvcpopulators.imagetoqcow2layers.boot;

/// The defaults of a machine, and the names of its files.
final class MachineDefaults {
  static final int MEMORY_MEBIBYTES = 512;
  static final int CPUS = 1;

  /// The maximum number of ports that are forwarded or declared. The number is limited because each
  /// port makes QEMU's command line longer.
  static final int PORTS = 64;

  /// The number of seconds between the request to stop a machine and the forced end of the machine.
  /// This time is enough, because by default the guest's `/init` waits only 10 s for the process.
  static final int TERMINATION_SECONDS = 30;

  static final String DISK = "disk.qcow2";
  static final String DATA = "data.qcow2";
  static final String KERNEL = "vmlinuz";
  static final String INITRD = "initrd";

  /// The maximum number of characters of an image's `REFERENCE@DIGEST` in the generated files.
  static final int SHOWN = 200;

  private MachineDefaults() {}
}

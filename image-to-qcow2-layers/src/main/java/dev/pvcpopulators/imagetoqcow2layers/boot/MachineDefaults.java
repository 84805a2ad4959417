package dev.pvcpopulators.imagetoqcow2layers.boot;

/// What a machine has unless whoever runs it says otherwise, and what its files are called.
final class MachineDefaults {
  static final int MEMORY_MEBIBYTES = 512;
  static final int CPUS = 1;

  /// Ports that are forwarded or declared at most; each is a part of a command line.
  static final int PORTS = 64;

  /// Seconds until a machine that was asked to end is ended: more than what `/init` gives the
  /// process.
  static final int TERMINATION_SECONDS = 30;

  static final String DISK = "disk.qcow2";
  static final String DATA = "data.qcow2";
  static final String KERNEL = "vmlinuz";
  static final String INITRD = "initrd";

  /// Characters of an image's name in a comment.
  static final int SHOWN = 200;

  private MachineDefaults() {}
}

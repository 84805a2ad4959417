package dev.pvcpopulators.linux;

/// Flags of `open(2)`. The values of [#DIRECT], [#DIRECTORY], [#TMPFILE] and [#NOFOLLOW] differ
/// between the supported architectures (`arch/arm64/include/uapi/asm/fcntl.h` and
/// `asm-generic/fcntl.h`).
final class OpenFlags {
  private static final boolean AARCH64 = "aarch64".equals(System.getProperty("os.arch"));

  static final int RDONLY = 0;
  static final int RDWR = 2;
  static final int CREAT = 0x40;
  static final int EXCL = 0x80;
  static final int NONBLOCK = 0x800;
  static final int CLOEXEC = 0x80000;
  static final int DIRECT = AARCH64 ? 0x10000 : 0x4000;
  static final int DIRECTORY = AARCH64 ? 0x4000 : 0x10000;
  static final int TMPFILE = 0x400000 | DIRECTORY;
  static final int NOFOLLOW = AARCH64 ? 0x8000 : 0x20000;

  private OpenFlags() {}
}

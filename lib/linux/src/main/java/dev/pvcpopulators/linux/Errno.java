package dev.pvcpopulators.linux;

import java.util.HashMap;
import java.util.Map;

/// The error numbers that this code distinguishes, as defined in `asm-generic/errno.h` (x86-64 and
/// aarch64 agree), with their names for messages.
final class Errno {
  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EINTR = 4;
  static final int EIO = 5;
  static final int ENXIO = 6;
  static final int E2BIG = 7;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  static final int EBUSY = 16;
  static final int EEXIST = 17;
  static final int EXDEV = 18;
  static final int ENODEV = 19;
  static final int EINVAL = 22;
  static final int ENOTTY = 25;
  static final int EFBIG = 27;
  static final int ENOSPC = 28;
  static final int EROFS = 30;
  static final int ERANGE = 34;
  static final int ENOLCK = 37;
  static final int ENOSYS = 38;
  static final int ENODATA = 61;
  static final int EOPNOTSUPP = 95;
  static final int ETIMEDOUT = 110;
  static final int ESTALE = 116;
  static final int EUCLEAN = 117;
  static final int EREMOTEIO = 121;
  static final int EDQUOT = 122;

  private static final Map<Integer, String> NAMES = new HashMap<>();

  static {
    NAMES.put(1, "EPERM");
    NAMES.put(ENOENT, "ENOENT");
    NAMES.put(EINTR, "EINTR");
    NAMES.put(EIO, "EIO");
    NAMES.put(ENXIO, "ENXIO");
    NAMES.put(E2BIG, "E2BIG");
    NAMES.put(9, "EBADF");
    NAMES.put(EAGAIN, "EAGAIN");
    NAMES.put(12, "ENOMEM");
    NAMES.put(13, "EACCES");
    NAMES.put(14, "EFAULT");
    NAMES.put(EBUSY, "EBUSY");
    NAMES.put(EEXIST, "EEXIST");
    NAMES.put(EXDEV, "EXDEV");
    NAMES.put(ENODEV, "ENODEV");
    NAMES.put(20, "ENOTDIR");
    NAMES.put(21, "EISDIR");
    NAMES.put(EINVAL, "EINVAL");
    NAMES.put(24, "EMFILE");
    NAMES.put(ENOTTY, "ENOTTY");
    NAMES.put(EFBIG, "EFBIG");
    NAMES.put(ENOSPC, "ENOSPC");
    NAMES.put(30, "EROFS");
    NAMES.put(ERANGE, "ERANGE");
    NAMES.put(ENOLCK, "ENOLCK");
    NAMES.put(ENOSYS, "ENOSYS");
    NAMES.put(40, "ELOOP");
    NAMES.put(ENODATA, "ENODATA");
    NAMES.put(EOPNOTSUPP, "EOPNOTSUPP");
    NAMES.put(ETIMEDOUT, "ETIMEDOUT");
    NAMES.put(ESTALE, "ESTALE");
    NAMES.put(EUCLEAN, "EUCLEAN");
    NAMES.put(EREMOTEIO, "EREMOTEIO");
    NAMES.put(EDQUOT, "EDQUOT");
  }

  private Errno() {}

  /// Returns text such as "ENOSPC (No space left on device)".
  static String describe(int errno) {
    return NAMES.getOrDefault(errno, "errno " + errno) + " (" + Libc.strerror(errno) + ")";
  }
}

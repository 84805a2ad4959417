package dev.pvcpopulators.linux;

import java.util.Arrays;

/// The error numbers whose names appear in messages: the error numbers that this module
/// distinguishes, and other frequent error numbers. The values are those of `asm-generic/errno.h`,
/// which x86-64 and aarch64 share.
enum Errno {
  EPERM(1),
  ENOENT(2),
  EINTR(4),
  EIO(5),
  ENXIO(6),
  E2BIG(7),
  EBADF(9),
  EAGAIN(11),
  ENOMEM(12),
  EACCES(13),
  EFAULT(14),
  EBUSY(16),
  EEXIST(17),
  EXDEV(18),
  ENODEV(19),
  ENOTDIR(20),
  EISDIR(21),
  EINVAL(22),
  EMFILE(24),
  ENOTTY(25),
  EFBIG(27),
  ENOSPC(28),
  ESPIPE(29),
  EROFS(30),
  ERANGE(34),
  ENOLCK(37),
  ENOSYS(38),
  ELOOP(40),
  ENODATA(61),
  EOPNOTSUPP(95),
  ETIMEDOUT(110),
  ESTALE(116),
  EUCLEAN(117),
  EREMOTEIO(121),
  EDQUOT(122);

  private final int number;

  Errno(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /// Returns whether a call with this result failed with this error.
  boolean is(long result) {
    return result == -number;
  }

  /// Returns whether a call with this result failed with one of these errors.
  static boolean any(long result, Errno... errors) {
    return Arrays.stream(errors).anyMatch(error -> error.is(result));
  }

  /// Returns text such as "ENOSPC (No space left on device)".
  static String describe(int number) {
    String name =
        Arrays.stream(values())
            .filter(error -> error.number == number)
            .findFirst()
            .map(Errno::name)
            .orElse("errno " + number);
    return name + " (" + Libc.strerror(number) + ")";
  }
}

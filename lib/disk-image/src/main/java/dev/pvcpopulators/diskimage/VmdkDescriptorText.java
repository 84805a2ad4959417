package dev.pvcpopulators.diskimage;

/// Recognises VMDK descriptor files. This class recognises at least every descriptor file that QEMU
/// recognises when it probes formats (`vmdk_probe` in `block/vmdk.c`). In a descriptor file,
/// `version=` is the first text after comments and blank lines. A descriptor file names other
/// files. If a descriptor file were imported as a raw disk, a program that probes the format of the
/// disk would open the files that the descriptor names.
final class VmdkDescriptorText {
  private static final String VERSION = "version=";

  private VmdkDescriptorText() {}

  /// Returns whether the head is a descriptor file.
  ///
  /// @param head the first 512 bytes; QEMU examines the same bytes
  static boolean matches(byte[] head) {
    int at = 0;
    while (at < head.length) {
      if (head[at] == '#') {
        at = lineEnd(head, at) + 1;
      } else if (head[at] == ' ' || head[at] == '\n' || head[at] == '\r') {
        at++;
      } else {
        return Magic.at(head, at, VERSION);
      }
    }
    return false;
  }

  private static int lineEnd(byte[] head, int from) {
    int at = from;
    while (at < head.length && head[at] != '\n') {
      at++;
    }
    return at;
  }
}

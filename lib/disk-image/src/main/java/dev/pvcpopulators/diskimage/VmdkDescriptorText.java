package dev.pvcpopulators.diskimage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.regex.Pattern;

/// Recognises VMDK descriptor files. This class recognises at least every descriptor file that QEMU
/// recognises when it probes formats (`vmdk_probe` in `block/vmdk.c`). In a descriptor file,
/// `version=` is the first text after comments and blank lines. A descriptor file names other
/// files. If a descriptor file were imported as a raw disk, a program that probes the format of the
/// disk would open the files that the descriptor names.
final class VmdkDescriptorText {
  /// Comments and blank lines, and the first text after them.
  private static final Pattern BEGIN = Pattern.compile("(?:#[^\n]*+\n|[ \n\r]++)*+version=");

  private VmdkDescriptorText() {}

  /// Returns whether the head is a descriptor file.
  ///
  /// @param head the first 512 bytes; QEMU examines the same bytes
  static boolean matches(byte[] head) {
    return BEGIN.matcher(new String(head, ISO_8859_1)).lookingAt();
  }
}

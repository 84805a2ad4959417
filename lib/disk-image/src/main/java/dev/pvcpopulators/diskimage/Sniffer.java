package dev.pvcpopulators.diskimage;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Recognises a source by the magic numbers in its first bytes.
///
/// Only what no guest can mean as the content of its disk is told apart from raw: a LUKS header or
/// a squashfs at byte 0 is legal on a disk without partitions, so both are raw.
public final class Sniffer {
  /// Bytes of the head that [#sniff] looks at: one tar header.
  public static final int HEAD_LENGTH = 512;

  private static final int SKIPPABLE_FRAME_HEADER = 8;

  /// What is refused, each by bytes at offset 0.
  private static final List<Refused> REFUSED =
      List.of(
          new Refused("# Disk DescriptorFile", "VMDK text descriptor", Advice.DESCRIPTOR),
          new Refused("COWD", "VMDK of ESX (COWD sparse extent)", Advice.CONVERT),
          new Refused("QED\0", "QED", Advice.CONVERT),
          new Refused("WithoutFreeSpace", "Parallels disk", Advice.CONVERT),
          new Refused("WithouFreSpacExt", "Parallels disk", Advice.CONVERT),
          new Refused("Bochs Virtual HD Image", "Bochs growing disk", Advice.CONVERT),
          new Refused("#!/bin/sh\n#V2.0 Format\n", "cloop", Advice.CONVERT),
          new Refused("MSWIM\0\0\0", "Windows imaging format (WIM)", Advice.NOT_A_DISK),
          new Refused("PK\3\4", "ZIP archive", Advice.COMPRESSION),
          new Refused("7z\u00bc\u00af'\u001c", "7z archive", Advice.COMPRESSION),
          new Refused("Rar!\u001a\u0007", "RAR archive", Advice.COMPRESSION),
          new Refused("LZIP\u0001", "lzip stream", Advice.COMPRESSION),
          new Refused("\u0002!L\u0018", "LZ4 legacy frame", Advice.COMPRESSION),
          new Refused("\u0089LZO\0\r\n\u001a\n", "lzop stream", Advice.COMPRESSION));

  private Sniffer() {}

  /// Names what the source is, or RAW.
  ///
  /// @param head the source from its beginning
  /// @param length how many bytes of it are there; fewer than [#HEAD_LENGTH] only where the source
  ///   ends
  public static Sniffed sniff(byte[] head, int length) {
    byte[] bytes = Arrays.copyOf(head, Math.min(length, HEAD_LENGTH));
    Optional<Compression> compression = compression(bytes);
    if (compression.isPresent()) {
      return new Sniffed.Compressed(compression.get());
    }
    for (ImageFormat format : ImageFormat.values()) {
      if (format.matches(bytes)) {
        return new Sniffed.Image(format);
      }
    }
    for (Refused refused : REFUSED) {
      if (Magic.at(bytes, 0, refused.magic())) {
        return new Sniffed.Unsupported(refused.name(), refused.advice());
      }
    }
    return TarMagic.matches(bytes) ? new Sniffed.Tar() : new Sniffed.Image(ImageFormat.RAW);
  }

  private static Optional<Compression> compression(byte[] bytes) {
    int frame = firstFrame(bytes);
    for (Compression compression : Compression.values()) {
      if (compression.matches(bytes, frame)) {
        return Optional.of(compression);
      }
    }
    // zstd and LZ4 share their skippable frames. Tools put one first only for zstd (pzstd, seekable
    // formats), so this is what a frame means whose successor lies outside the head.
    return frame > 0 ? Optional.of(Compression.ZSTD) : Optional.empty();
  }

  /// Offset of the first frame that is not skippable, or of the last one whose header is in the
  /// head.
  private static int firstFrame(byte[] bytes) {
    int offset = 0;
    while (Magic.skippableFrame(bytes, offset)) {
      long next = offset + SKIPPABLE_FRAME_HEADER + Magic.uint32(bytes, offset + 4);
      if (next > bytes.length - 4L) {
        return Math.max(offset, 1);
      }
      offset = (int) next;
    }
    return offset;
  }

  private record Refused(String magic, String name, String advice) {}

  private static final class Advice {
    static final String CONVERT = "convert it with: qemu-img convert -O qcow2 SOURCE disk.qcow2";
    static final String DESCRIPTOR =
        "it only names the files that hold the disk; " + CONVERT + ", where all of them are";
    static final String COMPRESSION = "unpack it and compress the disk with gzip, zstd or xz";
    static final String NOT_A_DISK = "it holds files, not a disk";

    private Advice() {}
  }
}

package dev.pvcpopulators.diskimage;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Recognises the format of a source by its first bytes.
///
/// A source is raw if it begins with a structure that is normal inside a disk. For example, a LUKS
/// header or a squashfs file system may begin at byte 0 of a disk without partitions.
public final class Sniffer {
  /// Number of bytes that [#sniff] examines: the length of a tar header.
  public static final int HEAD_LENGTH = 512;

  private static final int SKIPPABLE_FRAME_HEADER = 8;

  /// Refused formats, each identified by bytes at offset 0.
  private static final List<Refused> REFUSED =
      List.of(
          image("# Disk DescriptorFile", "VMDK text descriptor", Advice.DESCRIPTOR),
          image("COWD", "VMDK of ESX (COWD sparse extent)", Advice.CONVERT),
          image("QED\0", "QED", Advice.CONVERT),
          image("WithoutFreeSpace", "Parallels disk", Advice.CONVERT),
          image("WithouFreSpacExt", "Parallels disk", Advice.CONVERT),
          image("Bochs Virtual HD Image", "Bochs growing disk", Advice.CONVERT),
          image("#!/bin/sh\n#V2.0 Format\n", "cloop", Advice.CONVERT),
          other("encrcdsa", "encrypted DMG (Apple disk image)", Advice.DMG),
          other(":\u00ff&\u00ed\1\0", "Android sparse image", Advice.ANDROID),
          other("EVF\t\r\n\u00ff\0", "E01 (EnCase evidence file)", Advice.EVIDENCE),
          other("EVF2\r\n\u0081\0", "Ex01 (EnCase evidence file)", Advice.EVIDENCE),
          other("VMA\0", "VMA (Proxmox backup)", Advice.VMA),
          other("MSWIM\0\0\0", "Windows imaging format (WIM)", Advice.NOT_A_DISK),
          other("7z\u00bc\u00af'\u001c", "7z archive", Advice.COMPRESSION),
          other("Rar!\u001a\u0007", "RAR archive", Advice.COMPRESSION),
          other("LZIP\u0001", "lzip stream", Advice.COMPRESSION),
          other("\u0002!L\u0018", "LZ4 legacy frame", Advice.COMPRESSION),
          other("\u0089LZO\0\r\n\u001a\n", "lzop stream", Advice.COMPRESSION));

  /// The signatures with which a ZIP archive can begin: that of a local file header, that of an
  /// archive without entries, and that of a split archive.
  private static final List<String> ZIP = List.of("PK\3\4", "PK\5\6", "PK\7\b");

  private Sniffer() {}

  /// Returns the format of the source; a raw image if no format is recognised.
  ///
  /// @param head the first bytes of the source
  /// @param length number of valid bytes; less than [#HEAD_LENGTH] only if these bytes are the
  ///   complete source
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
        return refused.format();
      }
    }
    if (ZIP.stream().anyMatch(magic -> Magic.at(bytes, 0, magic))) {
      return new Sniffed.Zip();
    }
    if (TarChecksum.beginsArchive(bytes)) {
      return new Sniffed.Tar();
    }
    return oldCompression(bytes)
        .or(() -> text(bytes))
        .orElseGet(() -> new Sniffed.Image(ImageFormat.RAW));
  }

  /// Recognises the formats of [OldCompression].
  private static Optional<Sniffed> oldCompression(byte[] bytes) {
    if (OldCompression.lzma(bytes)) {
      return Optional.of(other("", ".lzma stream", Advice.LZMA).format());
    }
    return OldCompression.compress(bytes)
        ? Optional.of(other("", ".Z stream (compress)", Advice.COMPRESSION).format())
        : Optional.empty();
  }

  private static Optional<Sniffed> text(byte[] bytes) {
    if (VmdkDescriptorText.matches(bytes)) {
      return Optional.of(image("", "VMDK text descriptor", Advice.DESCRIPTOR).format());
    }
    return PrintableText.name(bytes)
        .map(name -> new Sniffed.Unsupported(name, Advice.TEXT, Sniffed.Unsupported.Kind.TEXT));
  }

  private static Optional<Compression> compression(byte[] bytes) {
    int frame = firstFrame(bytes);
    for (Compression compression : Compression.values()) {
      if (compression.matches(bytes, frame)) {
        return Optional.of(compression);
      }
    }
    // zstd and LZ4 have the same skippable frames. Only zstd tools, for example pzstd, write a
    // skippable frame first. Therefore the format is zstd if no known magic number follows the
    // skippable frames in the head.
    return frame > 0 ? Optional.of(Compression.ZSTD) : Optional.empty();
  }

  /// Returns the offset of the first frame that is not skippable. If the head ends before the magic
  /// number of this frame is complete, returns a positive offset at which no magic number of a
  /// [Compression] begins.
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

  private static Refused image(String magic, String name, String advice) {
    return new Refused(
        magic, new Sniffed.Unsupported(name, advice, Sniffed.Unsupported.Kind.DISK_IMAGE));
  }

  private static Refused other(String magic, String name, String advice) {
    return new Refused(
        magic, new Sniffed.Unsupported(name, advice, Sniffed.Unsupported.Kind.OTHER));
  }

  private record Refused(String magic, Sniffed.Unsupported format) {}

  private static final class Advice {
    static final String CONVERT = "convert it with: qemu-img convert -O qcow2 SOURCE disk.qcow2";
    static final String DESCRIPTOR =
        "it only names the files of the disk; in the directory of all these files, " + CONVERT;
    static final String COMPRESSION = "unpack it and compress the disk with gzip, zstd or xz";
    static final String LZMA = "unpack it with xz --format=lzma -d, and compress the disk with xz";
    static final String NOT_A_DISK = "it holds files, not a disk";
    static final String DMG = "convert it with: qemu-img convert -f dmg -O qcow2 SOURCE disk.qcow2";
    static final String ANDROID = "convert it with: simg2img SOURCE disk.raw";
    static final String EVIDENCE = "convert it with: ewfexport -f raw SOURCE";
    static final String VMA = "unpack it with vma extract, and use the disk inside";
    static final String TEXT =
        "a download may have saved an error page instead of the disk: look into it (with curl, use"
            + " --fail). Name the format raw if these bytes are the disk";

    private Advice() {}
  }
}

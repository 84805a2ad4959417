package dev.pvcpopulators.diskimage;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The disk image formats that can be imported. This is the only list of formats. Each format
/// except raw has a magic number. A format that `qemu-img` converts also has the name of QEMU's
/// driver; all other formats are read without `qemu-img`.
public enum ImageFormat {
  /// The bytes of the disk themselves, including ISO 9660 images. Used for every source without a
  /// known magic number.
  RAW(0, "", ""),
  /// QEMU's copy-on-write format, version 2 or 3.
  QCOW2(0, "QFI\u00fb", ""),
  /// VMware's sparse extent, with its descriptor inside.
  VMDK(0, "KDMV", "vmdk"),
  /// VirtualBox's disk image; a line of text precedes the signature.
  VDI(0x40, "\u007f\u0010\u00da\u00be", "vdi"),
  /// Microsoft's virtual hard disk, called `vpc` by QEMU. Only the dynamic types begin with a copy
  /// of the footer; a fixed VHD is a raw disk followed by a 512-byte footer and is sniffed as raw.
  VHD(0, "conectix", "vpc"),
  /// Microsoft's second virtual hard disk format.
  VHDX(0, "vhdxfile", "vhdx");

  /// The names of all formats, as [#names] returns them, for texts that have to be constants.
  public static final String NAMES = "raw, qcow2, vmdk, vdi, vhd or vhdx";

  private final int offset;
  private final String magic;
  private final String qemuDriver;

  ImageFormat(int offset, String magic, String qemuDriver) {
    this.offset = offset;
    this.magic = magic;
    this.qemuDriver = qemuDriver;
  }

  boolean matches(byte[] head) {
    return !magic.isEmpty() && Magic.at(head, offset, magic);
  }

  /// Returns whether the format is read in one pass, without `qemu-img`.
  public boolean onePass() {
    return qemuDriver.isEmpty();
  }

  /// Returns QEMU's name of a format that `qemu-img` converts; empty for [#onePass] formats.
  public String qemuDriver() {
    return qemuDriver;
  }

  /// Returns the names of the selected formats, the last one after "or": `raw or qcow2`.
  public static String names(Predicate<ImageFormat> which) {
    List<String> words = Stream.of(values()).filter(which).map(ImageFormat::word).toList();
    int last = words.size() - 1;
    return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  /// Returns the format with this name, ignoring case.
  public static Optional<ImageFormat> named(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return Stream.of(values()).filter(format -> format.word().equals(lower)).findFirst();
  }

  /// Returns the name as users write it, for example `qcow2`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Returns the name with the formats around the image, from the inside out: `qcow2+gzip`.
  ///
  /// @param wrapping the formats around the image, from the outside in
  public String wrappedIn(List<String> wrapping) {
    return Stream.concat(Stream.of(word()), wrapping.reversed().stream())
        .collect(Collectors.joining("+"));
  }
}

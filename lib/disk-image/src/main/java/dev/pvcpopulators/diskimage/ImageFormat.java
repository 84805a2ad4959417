package dev.pvcpopulators.diskimage;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The disk image formats that can be imported. Each format except raw has a magic number. A format
/// that `qemu-img` converts also has the name of QEMU's driver; all other formats are read without
/// `qemu-img`.
public enum ImageFormat {
  /// The bytes of the disk without a container format; an ISO 9660 image is raw, too. A source in
  /// which no other format is recognised is also raw.
  RAW(0, "", ""),
  /// QEMU's copy-on-write format, version 2 or 3.
  QCOW2(0, "QFI\u00fb", ""),
  /// VMware's sparse extent that contains its own descriptor.
  VMDK(0, "KDMV", "vmdk"),
  /// VirtualBox's disk image; a line of text precedes the signature.
  VDI(0x40, "\u007f\u0010\u00da\u00be", "vdi"),
  /// Microsoft's virtual hard disk, called `vpc` by QEMU. Only dynamic and differencing VHDs begin
  /// with a copy of the footer. A fixed VHD is a raw disk followed by a 512-byte footer, and is
  /// therefore recognised as raw.
  VHD(0, "conectix", "vpc"),
  /// Microsoft's second virtual hard disk format.
  VHDX(0, "vhdxfile", "vhdx");

  /// The names of all formats, in the form that [#names] returns, for texts that must be
  /// compile-time constants.
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

  /// Returns whether the format is read without `qemu-img`.
  public boolean onePass() {
    return qemuDriver.isEmpty();
  }

  /// Returns the name of QEMU's driver for this format; an empty text if the format is read without
  /// `qemu-img` ([#onePass]).
  public String qemuDriver() {
    return qemuDriver;
  }

  /// Returns the names of the selected formats as a list for messages, for example `raw, qcow2 or
  /// vmdk`.
  ///
  /// @param which selects at least two formats
  public static String names(Predicate<ImageFormat> which) {
    List<String> words = Stream.of(values()).filter(which).map(ImageFormat::word).toList();
    int last = words.size() - 1;
    return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  /// Returns the format whose [#word] is the given word, ignoring case.
  public static Optional<ImageFormat> named(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return Stream.of(values()).filter(format -> format.word().equals(lower)).findFirst();
  }

  /// Returns the name as users write it, for example `qcow2`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Returns the name of this format, followed by the names of the formats that contain the image,
  /// from the innermost to the outermost, for example `qcow2+tar+gzip`.
  ///
  /// @param wrapping the names of the formats that contain the image, the outermost first
  public String wrappedIn(List<String> wrapping) {
    return Stream.concat(Stream.of(word()), wrapping.reversed().stream())
        .collect(Collectors.joining("+"));
  }
}

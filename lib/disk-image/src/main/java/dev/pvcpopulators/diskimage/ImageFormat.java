package dev.pvcpopulators.diskimage;

/// The disk image formats that can be brought into a volume.
public enum ImageFormat {
  /// The bytes of the disk themselves; also ISO 9660 images.
  RAW,
  /// QEMU's copy-on-write format, version 2 or 3.
  QCOW2,
  /// VMware's sparse extent, with its descriptor inside.
  VMDK,
  /// VirtualBox's disk image.
  VDI,
  /// Microsoft's virtual hard disk, called `vpc` by QEMU.
  VHD,
  /// Microsoft's second virtual hard disk format.
  VHDX;
}

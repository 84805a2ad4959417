package dev.pvcpopulators.registrystreamiscsi;

/// Where a LUN's writes go. All but [#NONE] are for virtual machines whose disk goes away with
/// them.
enum CopyMode {
  /// To the image's own copy in this service: no second LUN that can be written may show it. With
  /// `read-shared`, nowhere: the image is shown as it is.
  NONE,
  /// To an overlay, which holds only what was written.
  COPY_ON_WRITE,
  /// To an overlay, which also keeps what was read.
  COPY_ON_READ,
  /// To a full copy of the image; once it is complete, the image is not used any more.
  CLONE
}

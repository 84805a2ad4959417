package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The origin of a finished disk, stored in extended attributes of its file.
///
/// | Attribute                           | Value                                 |
/// |-------------------------------------|---------------------------------------|
/// | `user.pvc-populators.source-digest` | algorithm, a colon, hexadecimal       |
/// | `user.pvc-populators.source`        | the reference, as text                |
/// | `user.pvc-populators.selection`     | the selected part of the source, as text |
/// | `user.pvc-populators.format`        | name of the [ImageFormat], lower case |
/// | `user.pvc-populators.virtual-size`  | bytes, decimal                        |
///
/// Either all attributes are written or none, because an incomplete record could equal the record
/// of another source. The space for the attributes is limited: ext4 has about one block for the
/// attributes of a file, usually 4 KiB, but 1 KiB on volumes under 512 MiB. Earlier versions wrote
/// records without `source` and `selection`; if one of these two attributes is missing, it is read
/// as empty.
///
/// @param sourceDigest the digest of the source, see [Origin#sourceDigest]
/// @param source the reference that named the source, see [Origin#source]
/// @param selection the selected part of the source, see [Origin#selection]
/// @param format the source's format
/// @param virtualSize virtual size in bytes of the source's disk, before the size is rounded up or
///   expanded
public record DiskRecord(
    String sourceDigest, String source, String selection, ImageFormat format, long virtualSize) {
  private static final String PREFIX = "user.pvc-populators.";
  private static final String SOURCE_DIGEST = PREFIX + "source-digest";
  private static final String SOURCE = PREFIX + "source";
  private static final String SELECTION = PREFIX + "selection";
  private static final String FORMAT = PREFIX + "format";
  private static final String VIRTUAL_SIZE = PREFIX + "virtual-size";

  public DiskRecord {
    new Origin(sourceDigest, source, selection);
    if (virtualSize < 0) {
      throw new IllegalArgumentException("Negative virtual size " + virtualSize);
    }
  }

  DiskRecord(Origin origin, ImageFormat format, long virtualSize) {
    this(origin.sourceDigest(), origin.source(), origin.selection(), format, virtualSize);
  }

  /// Sets all attributes or none.
  ///
  /// @return false if the file system has no extended attributes, or no space for the attributes of
  ///   the record
  boolean write(NativeFile file) throws IOException {
    List<Map.Entry<String, String>> attributes =
        List.of(
            Map.entry(SOURCE_DIGEST, sourceDigest),
            Map.entry(SOURCE, source),
            Map.entry(SELECTION, selection),
            Map.entry(FORMAT, format.word()),
            Map.entry(VIRTUAL_SIZE, Long.toString(virtualSize)));
    for (int i = 0; i < attributes.size(); i++) {
      if (!file.setAttribute(attributes.get(i).getKey(), attributes.get(i).getValue())) {
        for (Map.Entry<String, String> set : attributes.subList(0, i)) {
          file.removeAttribute(set.getKey());
        }
        return false;
      }
    }
    return true;
  }

  /// Reads the record. An attribute longer than 4 KiB counts as missing. Returns empty if the
  /// digest, the format or the size is missing, if the format or the size is invalid, or if the
  /// digest, the source or the selection is longer than [Origin] permits.
  static Optional<DiskRecord> read(NativeFile file) throws IOException {
    Optional<String> digest =
        file.attribute(SOURCE_DIGEST).filter(d -> d.length() <= Origin.MAX_DIGEST);
    String source = file.attribute(SOURCE).orElse("");
    String selection = file.attribute(SELECTION).orElse("");
    Optional<ImageFormat> format = file.attribute(FORMAT).flatMap(ImageFormat::named);
    Optional<Long> size = file.attribute(VIRTUAL_SIZE).flatMap(DiskRecord::size);
    if (digest.isEmpty()
        || source.length() > Origin.MAX_TEXT
        || selection.length() > Origin.MAX_TEXT
        || format.isEmpty()
        || size.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new DiskRecord(digest.get(), source, selection, format.get(), size.get()));
  }

  private static Optional<Long> size(String digits) {
    return digits.matches("\\d{1,18}") ? Optional.of(Long.valueOf(digits)) : Optional.empty();
  }
}

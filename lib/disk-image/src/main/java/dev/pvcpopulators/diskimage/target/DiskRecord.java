package dev.pvcpopulators.diskimage.target;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.linux.NativeFile;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/// What a finished disk was made from, kept as extended attributes of its file.
///
/// | Attribute                           | Value                               |
/// |-------------------------------------|-------------------------------------|
/// | `user.pvc-populators.source-digest` | algorithm, a colon, hexadecimal     |
/// | `user.pvc-populators.format`        | name of the [ImageFormat], lower case |
/// | `user.pvc-populators.virtual-size`  | bytes, decimal                      |
///
/// @param sourceDigest of the source as it came, for example `sha256:…`; at most 256 characters
/// @param format the source's format
/// @param virtualSize bytes of the source's disk, before anything was rounded up or grown
public record DiskRecord(String sourceDigest, ImageFormat format, long virtualSize) {
  private static final String PREFIX = "user.pvc-populators.";
  private static final String SOURCE_DIGEST = PREFIX + "source-digest";
  private static final String FORMAT = PREFIX + "format";
  private static final String VIRTUAL_SIZE = PREFIX + "virtual-size";
  private static final int MAX_DIGEST = 256;

  public DiskRecord {
    if (sourceDigest.length() > MAX_DIGEST) {
      throw new IllegalArgumentException("A source digest has at most 256 characters");
    }
    if (virtualSize < 0) {
      throw new IllegalArgumentException("Negative virtual size " + virtualSize);
    }
  }

  /// Sets the attributes.
  ///
  /// @return false where the file system has no extended attributes
  boolean write(NativeFile file) throws IOException {
    return file.setAttribute(SOURCE_DIGEST, sourceDigest)
        && file.setAttribute(FORMAT, format.name().toLowerCase(Locale.ROOT))
        && file.setAttribute(VIRTUAL_SIZE, Long.toString(virtualSize));
  }

  /// Empty where the attributes are missing or not as [#write] makes them.
  static Optional<DiskRecord> read(NativeFile file) throws IOException {
    Optional<String> digest = file.attribute(SOURCE_DIGEST).filter(d -> d.length() <= MAX_DIGEST);
    Optional<ImageFormat> format = file.attribute(FORMAT).flatMap(DiskRecord::format);
    Optional<Long> size = file.attribute(VIRTUAL_SIZE).flatMap(DiskRecord::size);
    if (digest.isEmpty() || format.isEmpty() || size.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new DiskRecord(digest.get(), format.get(), size.get()));
  }

  private static Optional<ImageFormat> format(String name) {
    for (ImageFormat format : ImageFormat.values()) {
      if (format.name().toLowerCase(Locale.ROOT).equals(name)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  private static Optional<Long> size(String digits) {
    return digits.matches("\\d{1,18}") ? Optional.of(Long.valueOf(digits)) : Optional.empty();
  }
}

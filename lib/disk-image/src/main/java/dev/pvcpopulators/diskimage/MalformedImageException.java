package dev.pvcpopulators.diskimage;

import java.io.IOException;

/// Thrown if the source violates the specification of its format, or if an archive contains an
/// entry that must not be unpacked. A retry with the same bytes fails again.
public final class MalformedImageException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String structure;
  private final long offset;

  /// Creates an exception without a cause.
  ///
  /// @param structure the name of the invalid structure, as in the specification of its format, for
  ///   example "L1 table"
  /// @param offset the offset of the structure or of the error, in bytes from the beginning of the
  ///   data that has this format; -1 if there is no offset
  /// @param reason the error, for example the expected and the found value
  public MalformedImageException(String structure, long offset, String reason) {
    super(
        offset < 0 ? structure + ": " + reason : structure + " at byte " + offset + ": " + reason);
    this.structure = structure;
    this.offset = offset;
  }

  /// Creates an exception whose cause is the exception that revealed the error.
  public MalformedImageException(String structure, long offset, String reason, Throwable cause) {
    this(structure, offset, reason);
    initCause(cause);
  }

  public String structure() {
    return structure;
  }

  /// Returns the offset of the structure or of the error, in bytes from the beginning of the data
  /// that has the structure's format; -1 if there is no offset.
  public long offset() {
    return offset;
  }
}

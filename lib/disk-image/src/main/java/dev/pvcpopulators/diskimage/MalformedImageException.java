package dev.pvcpopulators.diskimage;

import java.io.EOFException;
import java.io.IOException;
import java.util.Objects;

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

  /// Returns the exception for a failure of a decoder. An exception that already says what is wrong
  /// with the source is returned unchanged. [EOFException] means that the source ended too early.
  /// Any other exception means that the data is damaged.
  ///
  /// @param structure the name of the decoded structure
  /// @param offset the number of bytes that the decoder has read
  public static IOException of(String structure, long offset, Exception failure) {
    return switch (failure) {
      case MalformedImageException malformed -> malformed;
      case UnsupportedFeatureException unsupported -> unsupported;
      case EOFException end ->
          new MalformedImageException(
              structure, offset, "expected more data, found the end of the source", end);
      default ->
          new MalformedImageException(
              structure,
              offset,
              Objects.requireNonNullElse(failure.getMessage(), "the data is damaged"),
              failure);
    };
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

package dev.pvcpopulators.diskimage;

import java.io.IOException;

/// The source contradicts the specification of its own format: the same bytes fail every time.
public final class MalformedImageException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String structure;
  private final long offset;

  /// @param structure the structure that is wrong, in the format's own words ("L1 table")
  /// @param offset where the structure lies in the source, in bytes; -1 where that has no meaning
  /// @param reason what was expected and what was found
  public MalformedImageException(String structure, long offset, String reason) {
    super(
        offset < 0 ? structure + ": " + reason : structure + " at byte " + offset + ": " + reason);
    this.structure = structure;
    this.offset = offset;
  }

  /// As above, with the exception that a decoder gave.
  public MalformedImageException(String structure, long offset, String reason, Throwable cause) {
    this(structure, offset, reason);
    initCause(cause);
  }

  public String structure() {
    return structure;
  }

  /// Bytes from the beginning of the source, or -1.
  public long offset() {
    return offset;
  }
}

package dev.pvcpopulators.ext4.structure;

import static java.nio.charset.StandardCharsets.UTF_8;

/// One component of a path: 1–255 bytes without `/` and NUL, neither `.` nor `..`. A name consists
/// of bytes, not characters, as in Linux.
public final class Name extends Bytes {
  /// The maximum length of a name in bytes (kernel documentation, ext4, "Linear (Classic)
  /// Directories").
  public static final int MAX_LENGTH = 255;

  private Name(byte[] bytes) {
    super(bytes);
  }

  /// Creates a name from bytes.
  ///
  /// @throws IllegalArgumentException if the bytes are not a valid name
  public static Name of(byte... bytes) {
    if (bytes.length == 0 || bytes.length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "A name has 1 to " + MAX_LENGTH + " bytes, found " + bytes.length);
    }
    for (byte b : bytes) {
      if (b == '/' || b == 0) {
        throw new IllegalArgumentException("A name has neither / nor NUL");
      }
    }
    if (bytes[0] == '.' && (bytes.length == 1 || (bytes.length == 2 && bytes[1] == '.'))) {
      throw new IllegalArgumentException("A name is neither . nor ..");
    }
    return new Name(bytes.clone());
  }

  /// Creates a name from the UTF-8 bytes of a text.
  ///
  /// @throws IllegalArgumentException if the text is not a valid name
  public static Name of(String text) {
    return of(text.getBytes(UTF_8));
  }

  @Override
  public String toString() {
    return new String(toArray(), UTF_8);
  }
}

package dev.pvcpopulators.diskimage.volume;

/// The source of a disk, for its [DiskRecord]. A part that is not known is empty.
///
/// @param sourceDigest the digest of the source as received, for example `sha256:…`; at most
///   [#MAX_DIGEST] characters
/// @param source the reference that named the source, as text; at most [#MAX_TEXT] characters
/// @param selection the selected part of the source, for example `path=/disk/*;format=auto`; at
///   most [#MAX_TEXT] characters
public record Origin(String sourceDigest, String source, String selection) {
  public static final int MAX_DIGEST = 256;
  public static final int MAX_TEXT = 1024;

  /// Throws an [IllegalArgumentException] if a text is too long. Text is not truncated, because two
  /// references that differ only in the removed part would seem equal.
  public Origin {
    requireShort("source digest", sourceDigest, MAX_DIGEST);
    requireShort("source", source, MAX_TEXT);
    requireShort("selection", selection, MAX_TEXT);
  }

  /// Creates an origin with a digest, an empty reference and an empty selection.
  public static Origin digest(String sourceDigest) {
    return new Origin(sourceDigest, "", "");
  }

  private static void requireShort(String what, String value, int limit) {
    if (value.length() > limit) {
      throw new IllegalArgumentException(
          "The " + what + " of a disk has at most " + limit + " characters, not " + value.length());
    }
  }
}

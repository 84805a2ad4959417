package dev.pvcpopulators.diskimage.volume;

/// Where a disk came from, for its [DiskRecord]. Any part may be empty: not known.
///
/// @param sourceDigest of the source as it came, for example `sha256:…`; at most [#MAX_DIGEST]
///   characters
/// @param source the reference that named the source, as text; at most [#MAX_TEXT] characters
/// @param selection what of the source was taken, for example `path=/disk/*;format=auto`; at most
///   [#MAX_TEXT] characters
public record Origin(String sourceDigest, String source, String selection) {
  public static final int MAX_DIGEST = 256;
  public static final int MAX_TEXT = 1024;

  /// Refuses what is too long with an [IllegalArgumentException]. It is not cut: two references
  /// that differ only behind the cut would be taken for the same one.
  public Origin {
    requireShort("source digest", sourceDigest, MAX_DIGEST);
    requireShort("source", source, MAX_TEXT);
    requireShort("selection", selection, MAX_TEXT);
  }

  /// Of a source that has no name.
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

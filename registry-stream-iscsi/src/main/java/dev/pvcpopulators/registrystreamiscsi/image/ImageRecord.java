package dev.pvcpopulators.registrystreamiscsi.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import java.nio.charset.StandardCharsets;

/// Identifies the disk and the image in a directory of the cache.
///
/// @param reference the reference in the request
/// @param origin the registry or file that the image was pulled from
/// @param digest the digest of the image's manifest
/// @param selection the disk that was taken from the image
/// @param length the disk's length in bytes, a multiple of 512
public record ImageRecord(
    String reference, ImageOrigin origin, Digest digest, String selection, long length) {
  private static final int KEY_DIGITS = 40;
  private static final long BLOCK = 512;

  /// Returns the cache key. The same manifest, selection and origin give the same key.
  static String key(Digest digest, String selection, ImageOrigin origin) {
    String words = digest + "\n" + selection + (origin.known() ? "\n" + origin.text() : "");
    byte[] text = words.getBytes(StandardCharsets.UTF_8);
    return Digest.of(Digest.Algorithm.SHA256, text).hex().substring(0, KEY_DIGITS);
  }

  /// Returns the length of a logical unit in bytes: the virtual size, rounded up to a multiple of
  /// 512.
  static long blocks(long virtualSize) {
    return Math.multiplyExact(Math.ceilDiv(virtualSize, BLOCK), BLOCK);
  }

  /// Returns the cache key, which is also the identity that is stored in the disk's map.
  String key() {
    return key(digest, selection, origin);
  }

  /// Returns whether the given image and selection have this record's digest and selection. The
  /// origin is not compared. If the result is true, the record's disk and the image's disk have the
  /// same content after both are verified against the digest.
  boolean sameDisk(Image image, String otherSelection) {
    return digest.equals(image.digest()) && selection.equals(otherSelection);
  }

  /// Returns whether an unfinished pull may continue from the source of a request.
  boolean continuedBy(ChosenDisk chosen) {
    return origin.known()
        ? origin.equals(ImageOrigin.of(chosen.image()))
        : reference.equals(chosen.reference().toString());
  }

  public ObjectNode document() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("reference", reference)
        .put("origin", origin.text())
        .put("digest", digest.toString())
        .put("selection", selection)
        .put("length", length);
  }

  /// Reads the record from its document.
  ///
  /// @throws IllegalArgumentException if the document is not valid
  public static ImageRecord read(JsonNode document) {
    return new ImageRecord(
        document.path("reference").asText(),
        new ImageOrigin(document.path("origin").asText()),
        Digest.parse(document.path("digest").asText()),
        document.path("selection").asText(),
        document.path("length").asLong());
  }
}

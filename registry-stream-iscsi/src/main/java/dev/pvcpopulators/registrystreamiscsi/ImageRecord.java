package dev.pvcpopulators.registrystreamiscsi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.Image;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Which disk of which image a directory of the cache holds.
///
/// @param reference what the image was asked for by
/// @param origin where it was pulled from
/// @param digest of its manifest
/// @param selection what of the image was taken
/// @param length bytes of the disk, a multiple of 512
record ImageRecord(
    String reference, ImageOrigin origin, Digest digest, String selection, long length) {
  private static final int KEY_BYTES = 20;
  private static final long BLOCK = 512;

  /// What a disk is found by: the same manifest and the same selection, of the same origin.
  static String key(Image image, String selection, ImageOrigin origin) {
    return key(image.digest(), selection, origin);
  }

  private static String key(Digest digest, String selection, ImageOrigin origin) {
    String words = digest + "\n" + selection + (origin.known() ? "\n" + origin.text() : "");
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(words.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, KEY_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /// The length of a logical unit that shows so many bytes: whole blocks of 512.
  static long blocks(long virtualSize) {
    return Math.multiplyExact(Math.ceilDiv(virtualSize, BLOCK), BLOCK);
  }

  /// What the disk's map is marked with.
  String identity() {
    return key();
  }

  String key() {
    return key(digest, selection, origin);
  }

  /// Whether it is the same disk, wherever it comes from: if it is what its digest says.
  boolean sameDisk(Image image, String otherSelection) {
    return digest.equals(image.digest()) && selection.equals(otherSelection);
  }

  /// Whether a pull that has not ended may be taken up from the source of a request.
  boolean continuedBy(LunRequest request) {
    return origin.known()
        ? origin.equals(ImageOrigin.of(request.image()))
        : reference.equals(request.image().reference().toString());
  }

  ObjectNode document() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("reference", reference)
        .put("origin", origin.text())
        .put("digest", digest.toString())
        .put("selection", selection)
        .put("length", length);
  }

  /// @throws IllegalArgumentException where it is none
  static ImageRecord read(JsonNode document) {
    return new ImageRecord(
        document.path("reference").asText(),
        new ImageOrigin(document.path("origin").asText()),
        Digest.parse(document.path("digest").asText()),
        document.path("selection").asText(),
        document.path("length").asLong());
  }
}

package dev.pvcpopulators.diskimage.qcow2.format;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The header extensions between the fixed header and the end of the first cluster (QEMU
/// docs/interop/qcow2, "Header extensions"). This record stores the backing file's format and, for
/// messages, the names of incompatible features.
///
/// | Bytes | Field                                     |
/// |------:|-------------------------------------------|
/// | 0–3   | type; 0 ends the list                     |
/// | 4–7   | length of the data                        |
/// | 8–    | data, padded to a multiple of 8 bytes     |
///
/// @param incompatible bit numbers of incompatible features, each with the feature's name in
///   printable ASCII
/// @param backingFormat printable ASCII, at most 16 characters; a longer name is cut
public record HeaderExtensions(Map<Integer, String> incompatible, Optional<String> backingFormat) {
  public static final int END = 0;
  public static final int BACKING_FORMAT = 0xe2792aca;

  /// At most this number of bytes of a format name is read; no known image format has a longer
  /// name.
  private static final int MAX_FORMAT_LENGTH = 16;

  private static final int FEATURE_NAMES = 0x6803f857;
  private static final int ENCRYPTION = 0x0537be77;
  private static final int FEATURE_NAME_LENGTH = 48;

  public HeaderExtensions {
    incompatible = Map.copyOf(incompatible);
  }

  /// Reads the extensions.
  ///
  /// @param cluster the first cluster of the file, or only its beginning if the rest is not
  ///   available
  /// @throws MalformedImageException if an extension ends after the cluster or after the available
  ///   part
  /// @throws UnsupportedFeatureException if there is an encryption header extension
  public static HeaderExtensions read(ByteBuffer cluster, int headerLength, int clusterSize)
      throws IOException {
    Map<Integer, String> names = new HashMap<>();
    Optional<String> backingFormat = Optional.empty();
    int position = headerLength;
    while (position + 8 <= cluster.limit()) {
      int type = cluster.getInt(position);
      int length = cluster.getInt(position + 4);
      if (type == END) {
        break;
      }
      int data = position + 8;
      if (length < 0 || length > clusterSize - data) {
        throw malformed(
            position,
            "its length is at most %d, found %s"
                .formatted(clusterSize - data, Integer.toUnsignedString(length)));
      }
      if (data + length > cluster.limit()) {
        throw malformed(position, "the source ends inside it, at byte " + cluster.limit());
      }
      switch (type) {
        case FEATURE_NAMES -> readNames(cluster.slice(data, length), names);
        case BACKING_FORMAT -> {
          byte[] format = new byte[Math.min(length, MAX_FORMAT_LENGTH)];
          cluster.get(data, format);
          backingFormat = Optional.of(printable(format));
        }
        case ENCRYPTION ->
            throw new UnsupportedFeatureException(
                "The image has an encryption header; decrypt it with `qemu-img convert`");
        default -> {
          // Bitmaps, the data file name and unknown extensions are ignored, as the format permits.
        }
      }
      position = data + ((length + 7) & -8);
    }
    return new HeaderExtensions(names, backingFormat);
  }

  /// Refuses unknown features; the message gives a feature's name if the image contains this name.
  public void requireKnown(IncompatibleFeatures features) throws UnsupportedFeatureException {
    long unknown = features.unknown();
    if (unknown == 0) {
      return;
    }
    StringBuilder list = new StringBuilder();
    for (long rest = unknown; rest != 0; rest &= rest - 1) {
      int bit = Long.numberOfTrailingZeros(rest);
      list.append(list.isEmpty() ? "" : ", ").append("bit ").append(bit);
      String name = incompatible.get(bit);
      if (name != null) {
        list.append(" (\"").append(name).append("\")");
      }
    }
    throw new UnsupportedFeatureException("Unknown incompatible qcow2 features: " + list);
  }

  /// Reads entries of 48 bytes: type (0 = incompatible), bit, name padded with zeros.
  private static void readNames(ByteBuffer table, Map<Integer, String> names) {
    for (int at = 0; at + FEATURE_NAME_LENGTH <= table.limit(); at += FEATURE_NAME_LENGTH) {
      if (table.get(at) == 0) {
        byte[] name = new byte[FEATURE_NAME_LENGTH - 2];
        table.get(at + 2, name);
        names.putIfAbsent(Byte.toUnsignedInt(table.get(at + 1)), printable(name));
      }
    }
  }

  /// Returns the text before the first zero byte. Unprintable characters, double quotes and
  /// backslashes become dots, so that messages and logs can contain the text.
  private static String printable(byte[] name) {
    int length = 0;
    while (length < name.length && name[length] != 0) {
      if (name[length] < ' ' || name[length] > '~' || name[length] == '"' || name[length] == '\\') {
        name[length] = '.';
      }
      length++;
    }
    return new String(name, 0, length, StandardCharsets.US_ASCII);
  }

  private static MalformedImageException malformed(long offset, String reason) {
    return new MalformedImageException("qcow2 header extension", offset, reason);
  }
}

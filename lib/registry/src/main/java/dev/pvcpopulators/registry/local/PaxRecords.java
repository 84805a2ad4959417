package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What an extended header says of the next entry: records `LENGTH KEY=VALUE\n`, whose length
/// counts the whole record (POSIX.1-2017, pax, "pax Extended Header").
///
/// @param values only those of `path`, `linkpath` and `size`
record PaxRecords(Map<String, String> values) {
  static final PaxRecords NONE = new PaxRecords(Map.of());

  private static final String PATH = "path";
  private static final String LINK_PATH = "linkpath";
  private static final String SIZE = "size";
  private static final String SPARSE = "GNU.sparse.";
  private static final Pattern SIZE_DIGITS = Pattern.compile("[0-9]{1,18}");
  private static final int LENGTH_DIGITS = 7;

  PaxRecords {
    values = Map.copyOf(values);
  }

  /// @param offset of the data in the archive, for messages
  /// @throws UnsupportedFeatureException where the entry is sparse
  static PaxRecords read(byte[] data, long offset)
      throws MalformedImageException, UnsupportedFeatureException {
    Map<String, String> values = new HashMap<>();
    int position = 0;
    while (position < data.length) {
      int end = position + recordLength(data, position, offset);
      int space = indexOf(data, ' ', position, end);
      int equals = indexOf(data, '=', space + 1, end);
      if (space < 0 || equals < 0 || data[end - 1] != '\n') {
        throw malformed(offset + position, "expected a record LENGTH KEY=VALUE");
      }
      String key = new String(data, space + 1, equals - space - 1, UTF_8);
      if (key.startsWith(SPARSE)) {
        throw new UnsupportedFeatureException(
            "tar extended header: the archive has a sparse file; write it without sparse files");
      }
      if (key.equals(PATH) || key.equals(LINK_PATH) || key.equals(SIZE)) {
        values.put(key, new String(data, equals + 1, end - equals - 2, UTF_8));
      }
      position = end;
    }
    return new PaxRecords(values);
  }

  private static int recordLength(byte[] data, int position, long offset)
      throws MalformedImageException {
    int length = 0;
    int at = position;
    while (at < data.length
        && data[at] >= '0'
        && data[at] <= '9'
        && at < position + LENGTH_DIGITS) {
      length = length * 10 + data[at] - '0';
      at++;
    }
    // The shortest record is "5 k=\n": what is shorter would not get us on.
    if (length < 5 || length > data.length - position) {
      throw malformed(
          offset + position, "expected a record within the header, found one of " + length);
    }
    return length;
  }

  private static int indexOf(byte[] data, char wanted, int from, int end) {
    for (int i = Math.max(from, 0); i < end; i++) {
      if (data[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  boolean empty() {
    return values.isEmpty();
  }

  Optional<String> path() {
    return Optional.ofNullable(values.get(PATH));
  }

  Optional<String> linkPath() {
    return Optional.ofNullable(values.get(LINK_PATH));
  }

  /// Bytes of data of the next entry.
  ///
  /// @param otherwise what its own header says
  long size(long otherwise, long offset) throws MalformedImageException {
    String size = values.get(SIZE);
    if (size == null) {
      return otherwise;
    }
    if (!SIZE_DIGITS.matcher(size).matches()) {
      throw malformed(offset, "expected a decimal size of at most 18 digits");
    }
    return Long.parseLong(size);
  }

  private static MalformedImageException malformed(long offset, String reason) {
    return new MalformedImageException("tar extended header", offset, reason);
  }
}

package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// The extended headers that apply to one entry. Each record has the form `LENGTH KEY=VALUE\n`
/// (POSIX.1-2017, pax, "pax Extended Header"; keywords of GNU tar, star and libarchive). Values are
/// bytes and need not be UTF-8.
///
/// | Keyword                 | Value                                               |
/// |-------------------------|-----------------------------------------------------|
/// | `path`, `linkpath`      | names                                               |
/// | `size`, `uid`, `gid`    | decimal numbers                                     |
/// | `mtime`                 | seconds, with or without a fraction                 |
/// | `GNU.sparse.…`          | see [SparseMap]; `GNU.sparse.name`: see [#name]     |
/// | `SCHILY.devmajor`, `SCHILY.devminor` | major and minor number of a device     |
/// | `SCHILY.xattr.NAME`     | the value of an extended attribute, not encoded     |
/// | `LIBARCHIVE.xattr.NAME` | the value in Base64; NAME is percent-encoded        |
/// | `SCHILY.acl.…`          | an access control list as text                      |
final class PaxRecords {
  static final String SPARSE = "GNU.sparse.";

  private static final String PATH = "path";
  private static final String LINK_PATH = "linkpath";
  private static final String SIZE = "size";
  private static final String SPARSE_NAME = SPARSE + "name";
  private static final String XATTR = "SCHILY.xattr.";
  private static final String ENCODED_XATTR = "LIBARCHIVE.xattr.";
  private static final String ACCESS_LIST = "SCHILY.acl.";

  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}");
  private static final Pattern SECONDS = Pattern.compile("-?[0-9]{1,18}(\\.[0-9]{1,18})?");
  private static final int NANO_DIGITS = 9;
  private static final int LENGTH_DIGITS = 7;

  /// The records of the global headers. An empty `Optional` marks a cancelled record.
  private final Map<String, Optional<ByteString>> global = new LinkedHashMap<>();

  /// The records of the entry's own headers. An empty `Optional` also cancels the global record
  /// with the same key.
  private final Map<String, Optional<ByteString>> own = new LinkedHashMap<>();

  /// The records that apply. The entry's own record has precedence over a global record with the
  /// same key, even if the global header comes later.
  private final Map<String, ByteString> records = new LinkedHashMap<>();

  private final List<ByteString> sparseParts = new ArrayList<>();
  private int globalLength;

  /// Begins an entry: drops the previous entry's own records and keeps the global records.
  void begin() {
    own.clear();
    sparseParts.clear();
    combine();
  }

  private void combine() {
    records.clear();
    for (Map<String, Optional<ByteString>> headers : List.of(global, own)) {
      headers.forEach((key, value) ->
          value.ifPresentOrElse(present -> records.put(key, present), () -> records.remove(key)));
    }
  }

  /// Reads an extended header, whose records apply to the next entry only.
  void read(byte[] data) throws MalformedImageException {
    read(data, own);
    combine();
  }

  /// Reads a global extended header, whose records apply to all later entries.
  ///
  /// @throws UnsupportedFeatureException if the header has a `path`, `linkpath`, `size` or
  ///   `GNU.sparse.…` record with a value
  void readGlobal(byte[] data) throws MalformedImageException, UnsupportedFeatureException {
    globalLength += data.length;
    if (globalLength > ArchiveLimits.HEADERS_LENGTH) {
      throw malformed("the global headers are longer than " + ArchiveLimits.HEADERS_LENGTH);
    }
    read(data, global);
    for (Map.Entry<String, Optional<ByteString>> record : global.entrySet()) {
      String key = record.getKey();
      boolean single =
          key.equals(PATH) || key.equals(LINK_PATH) || key.equals(SIZE) || key.startsWith(SPARSE);
      if (single && record.getValue().isPresent()) {
        throw new UnsupportedFeatureException(
            "tar global header: names and sizes for all entries at once are not supported");
      }
    }
    combine();
  }

  private void read(byte[] data, Map<String, Optional<ByteString>> into)
      throws MalformedImageException {
    int at = 0;
    while (at < data.length && data[at] != 0) {
      int end = at + recordLength(data, at);
      int space = indexOf(data, ' ', at, end);
      int equals = space < 0 ? -1 : indexOf(data, '=', space + 1, end);
      if (equals < 0 || data[end - 1] != '\n') {
        throw malformed("expected a record LENGTH KEY=VALUE");
      }
      String key = ByteString.of(data, space + 1, equals - space - 1).latin1();
      ByteString value = ByteString.of(data, equals + 1, end - equals - 2);
      if (key.equals(SparseMap.OFFSET) || key.equals(SparseMap.COUNT)) {
        sparseParts.add(value);
      }
      // An empty value cancels an earlier record. Extended attributes are an exception: their value
      // may be empty.
      boolean attribute = key.startsWith(XATTR) || key.startsWith(ENCODED_XATTR);
      into.put(key, value.isEmpty() && !attribute ? Optional.empty() : Optional.of(value));
      at = end;
    }
  }

  private static int recordLength(byte[] data, int at) throws MalformedImageException {
    int length = 0;
    int digits = 0;
    while (at + digits < data.length
        && digits < LENGTH_DIGITS
        && data[at + digits] >= '0'
        && data[at + digits] <= '9') {
      length = length * 10 + data[at + digits] - '0';
      digits++;
    }
    // The shortest record has 5 bytes ("5 k=\n").
    if (length < 5 || length > data.length - at) {
      throw malformed("expected a record within the header, found one of " + length + " bytes");
    }
    return length;
  }

  private static int indexOf(byte[] bytes, char wanted, int from, int end) {
    for (int i = from; i < end; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  Optional<ByteString> get(String key) {
    return Optional.ofNullable(records.get(key));
  }

  /// Returns the name: the value of `GNU.sparse.name`, or the value of `path` if there is no such
  /// record. A sparse file that has `GNU.sparse.name` has an artificial `path`.
  Optional<ByteString> name() {
    return get(SPARSE_NAME).or(() -> get(PATH));
  }

  Optional<ByteString> linkName() {
    return get(LINK_PATH);
  }

  OptionalLong size() throws MalformedImageException {
    return number(SIZE);
  }

  /// Returns the offsets and lengths of a sparse map of version 0.0, which has a separate record
  /// for each of these numbers.
  List<ByteString> sparseParts() {
    return sparseParts;
  }

  /// Returns the value of a record as a decimal number of at most 18 digits; empty if the record
  /// does not exist.
  OptionalLong number(String key) throws MalformedImageException {
    ByteString value = records.get(key);
    return value == null ? OptionalLong.empty() : OptionalLong.of(number(key, value));
  }

  static long number(String key, ByteString value) throws MalformedImageException {
    if (!NUMBER.matcher(value.latin1()).matches()) {
      throw malformed("expected a decimal number as " + key + ", found " + Quoted.of("" + value));
    }
    return Long.parseLong(value.latin1());
  }

  /// Returns the time of modification, rounded down to nanoseconds.
  Optional<Instant> modified() throws MalformedImageException {
    ByteString value = records.get("mtime");
    if (value == null) {
      return Optional.empty();
    }
    if (!SECONDS.matcher(value.latin1()).matches()) {
      throw malformed("expected seconds as mtime, found " + Quoted.of(value.toString()));
    }
    BigInteger nanos =
        new BigDecimal(value.latin1())
            .movePointRight(NANO_DIGITS)
            .setScale(0, RoundingMode.FLOOR)
            .unscaledValue();
    BigInteger[] parts = nanos.divideAndRemainder(BigInteger.TEN.pow(NANO_DIGITS));
    return Optional.of(TarReader.instant(parts[0].longValueExact(), parts[1].intValueExact()));
  }

  /// Returns the number of access control lists that are given as text.
  int accessLists() {
    int count = 0;
    for (String key : records.keySet()) {
      count += key.startsWith(ACCESS_LIST) ? 1 : 0;
    }
    return count;
  }

  /// Returns the extended attributes. If `SCHILY.xattr` and `LIBARCHIVE.xattr` both give a value
  /// for one attribute, the value of `SCHILY.xattr` is used.
  List<TarMember.Attribute> attributes() throws MalformedImageException {
    if (records.isEmpty()) {
      return List.of();
    }
    Map<String, ByteString> attributes = new LinkedHashMap<>();
    for (Map.Entry<String, ByteString> entry : records.entrySet()) {
      String key = entry.getKey();
      if (key.startsWith(XATTR)) {
        attributes.put(key.substring(XATTR.length()), entry.getValue());
      }
    }
    for (Map.Entry<String, ByteString> entry : records.entrySet()) {
      if (entry.getKey().startsWith(ENCODED_XATTR)) {
        String name = percentDecoded(entry.getKey().substring(ENCODED_XATTR.length()));
        if (!attributes.containsKey(name)) {
          attributes.put(name, base64(entry.getValue()));
        }
      }
    }
    List<TarMember.Attribute> list = new ArrayList<>(attributes.size());
    for (Map.Entry<String, ByteString> entry : attributes.entrySet()) {
      ByteString name = new ByteString(entry.getKey());
      String text =
          name.text()
              .orElseThrow(() ->
                  malformed(
                      "the name of an extended attribute is not UTF-8: "
                          + Quoted.of(name.toString())));
      list.add(new TarMember.Attribute(text, entry.getValue()));
    }
    return list;
  }

  private static String percentDecoded(String text) {
    StringBuilder decoded = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int high = c == '%' && i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = high < 0 ? -1 : Character.digit(text.charAt(i + 2), 16);
      if (low < 0) {
        decoded.append(c);
      } else {
        decoded.append((char) (high << 4 | low));
        i += 2;
      }
    }
    return decoded.toString();
  }

  private static ByteString base64(ByteString value) throws MalformedImageException {
    String text = value.latin1();
    // libarchive omits the Base64 padding.
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == '=') {
      end--;
    }
    try {
      return ByteString.of(Base64.getDecoder().decode(text.substring(0, end)));
    } catch (IllegalArgumentException e) {
      throw new MalformedImageException(
          "tar extended header", -1, "the value of an extended attribute is no Base64", e);
    }
  }

  private static MalformedImageException malformed(String reason) {
    return new MalformedImageException("tar extended header", -1, reason);
  }
}

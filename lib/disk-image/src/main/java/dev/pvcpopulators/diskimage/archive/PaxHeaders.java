package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.tar.TarUtils;

/// What extended headers say in bytes that need not be UTF-8: names, and the values of extended
/// attributes (POSIX.1-2017, pax, "pax Extended Header"; keywords of star and libarchive). All else
/// in them is for the library to read, which decodes values and would destroy these.
///
/// | Keyword                 | Value                                               |
/// |-------------------------|-----------------------------------------------------|
/// | `path`, `linkpath`      | names                                               |
/// | `GNU.sparse.name`       | the name of a sparse file, whose `path` is made up  |
/// | `SCHILY.xattr.NAME`     | an attribute's value as it is                       |
/// | `LIBARCHIVE.xattr.NAME` | the same in Base64, its name URL-encoded            |
/// | `SCHILY.acl.…`          | an access control list as text                      |
final class PaxHeaders {
  private static final String PATH = "path";
  private static final String LINK_PATH = "linkpath";
  private static final String SPARSE_NAME = "GNU.sparse.name";
  private static final String XATTR = "SCHILY.xattr.";
  private static final String ENCODED_XATTR = "LIBARCHIVE.xattr.";
  private static final String ACCESS_LIST = "SCHILY.acl.";

  private static final int BLOCK_LENGTH = 512;
  private static final int SIZE_OFFSET = 124;
  private static final int SIZE_LENGTH = 12;
  private static final int TYPE_OFFSET = 156;
  private static final int LENGTH_DIGITS = 7;

  private final Map<String, ByteString> global = new HashMap<>();
  private final Map<String, ByteString> records = new LinkedHashMap<>();

  /// Takes all headers of one entry.
  ///
  /// @param headers whole blocks, from the first extended header on
  void read(byte[] headers, int length) throws MalformedImageException {
    records.clear();
    records.putAll(global);
    int at = 0;
    while (at + BLOCK_LENGTH <= length && extension(headers[at + TYPE_OFFSET])) {
      int data = at + BLOCK_LENGTH;
      long size = TarUtils.parseOctalOrBinary(headers, at + SIZE_OFFSET, SIZE_LENGTH);
      if (size < 0 || size > length - data) {
        throw malformed("expected " + size + " bytes of data, found less");
      }
      int end = data + (int) size;
      switch (headers[at + TYPE_OFFSET]) {
        case TarConstants.LF_PAX_GLOBAL_EXTENDED_HEADER -> {
          readRecords(headers, data, end, global);
          records.putAll(global);
        }
        case TarConstants.LF_PAX_EXTENDED_HEADER_LC, TarConstants.LF_PAX_EXTENDED_HEADER_UC ->
            readRecords(headers, data, end, records);
        default -> {
          // A long name of GNU, which is no extended header.
        }
      }
      at = data + Math.ceilDiv((int) size, BLOCK_LENGTH) * BLOCK_LENGTH;
    }
  }

  private static boolean extension(byte type) {
    return switch (type) {
      case TarConstants.LF_PAX_GLOBAL_EXTENDED_HEADER,
          TarConstants.LF_PAX_EXTENDED_HEADER_LC,
          TarConstants.LF_PAX_EXTENDED_HEADER_UC,
          TarConstants.LF_GNUTYPE_LONGNAME,
          TarConstants.LF_GNUTYPE_LONGLINK ->
          true;
      default -> false;
    };
  }

  private static void readRecords(byte[] bytes, int from, int end, Map<String, ByteString> into)
      throws MalformedImageException {
    int at = from;
    while (at < end && bytes[at] != 0) {
      int recordEnd = at + recordLength(bytes, at, end);
      int space = indexOf(bytes, ' ', at, recordEnd);
      int equals = space < 0 ? -1 : indexOf(bytes, '=', space + 1, recordEnd);
      if (equals < 0 || bytes[recordEnd - 1] != '\n') {
        throw malformed("expected a record LENGTH KEY=VALUE");
      }
      String key = ByteString.of(bytes, space + 1, equals - space - 1).latin1();
      if (ours(key)) {
        ByteString value = ByteString.of(bytes, equals + 1, recordEnd - equals - 2);
        // A name without a value is taken back; an attribute can well have an empty one.
        if (value.isEmpty() && !key.startsWith(XATTR)) {
          into.remove(key);
        } else {
          into.put(key, value);
        }
      }
      at = recordEnd;
    }
  }

  private static boolean ours(String key) {
    return key.equals(PATH)
        || key.equals(LINK_PATH)
        || key.equals(SPARSE_NAME)
        || key.startsWith(XATTR)
        || key.startsWith(ENCODED_XATTR)
        || key.startsWith(ACCESS_LIST);
  }

  private static int recordLength(byte[] bytes, int at, int end) throws MalformedImageException {
    int length = 0;
    int digits = 0;
    while (at + digits < end
        && digits < LENGTH_DIGITS
        && bytes[at + digits] >= '0'
        && bytes[at + digits] <= '9') {
      length = length * 10 + bytes[at + digits] - '0';
      digits++;
    }
    // The shortest record is "5 k=\n": what is shorter would not get us on.
    if (length < 5 || length > end - at) {
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

  Optional<ByteString> name() {
    return Optional.ofNullable(records.getOrDefault(SPARSE_NAME, records.get(PATH)));
  }

  Optional<ByteString> linkName() {
    return Optional.ofNullable(records.get(LINK_PATH));
  }

  /// How many access control lists there are as text.
  int accessLists() {
    int count = 0;
    for (String key : records.keySet()) {
      count += key.startsWith(ACCESS_LIST) ? 1 : 0;
    }
    return count;
  }

  /// Extended attributes; where both tools' keywords give one, the bytes as they are count.
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
    // libarchive leaves the padding out.
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

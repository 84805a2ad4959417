package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pvcpopulators.registry.Digest;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// Builds the tar of an image layout. The input contains the documents of the layout, separated by
/// NUL: `oci-layout`, `index.json`, and the blobs. In the tar, the path of a blob contains the
/// blob's digest.
///
/// A fuzzer cannot compute a digest. Therefore, in the input, a document refers to another document
/// by `sha256:` and the other document's number as 64 digits. This class replaces the number by the
/// digest of the other document. The document `oci-layout` has the number 0. A document can contain
/// only the digests of later documents.
final class LayoutTar {
  private static final int BLOCK = 512;
  private static final int MOST = 10;
  private static final String ZEROS = "sha256:" + "0".repeat(63);

  private LayoutTar() {}

  static byte[] of(byte[] data) {
    String[] documents = new String(data, ISO_8859_1).split("\0", MOST);
    ByteArrayOutputStream tar = new ByteArrayOutputStream();
    for (int i = documents.length - 1; i >= 0; i--) {
      byte[] bytes = documents[i].getBytes(ISO_8859_1);
      String digest = Digest.of(Digest.Algorithm.SHA256, bytes).toString();
      for (int j = 0; j < i; j++) {
        documents[j] = documents[j].replace(ZEROS + i, digest);
      }
      String name =
          switch (i) {
            case 0 -> "oci-layout";
            case 1 -> "index.json";
            default -> "blobs/" + digest.replace(':', '/');
          };
      put(tar, name, bytes);
    }
    tar.writeBytes(new byte[2 * BLOCK]);
    return tar.toByteArray();
  }

  /// Adds a file to a tar (POSIX.1-2017, pax, "ustar Interchange Format").
  private static void put(ByteArrayOutputStream tar, String name, byte[] bytes) {
    byte[] header = new byte[BLOCK];
    set(header, 0, name);
    set(header, 124, "%011o".formatted(bytes.length));
    set(header, 148, " ".repeat(8));
    header[156] = '0';
    set(header, 257, "ustar");
    int sum = 0;
    for (byte b : header) {
      sum += b;
    }
    set(header, 148, "%06o\0 ".formatted(sum));
    tar.writeBytes(header);
    tar.writeBytes(Arrays.copyOf(bytes, Math.ceilDiv(bytes.length, BLOCK) * BLOCK));
  }

  private static void set(byte[] header, int offset, String text) {
    System.arraycopy(text.getBytes(ISO_8859_1), 0, header, offset, text.length());
  }
}

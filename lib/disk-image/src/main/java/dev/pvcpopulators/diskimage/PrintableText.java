package dev.pvcpopulators.diskimage;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.util.Locale;
import java.util.Optional;

/// Recognises a source that begins with printable text and is therefore unlikely to be a disk.
final class PrintableText {
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private PrintableText() {}

  /// Returns the name of the kind of text, such as `HTML page`.
  ///
  /// @param head the source from its beginning; the last character may be truncated
  /// @return empty if the bytes are not UTF-8, have no complete character, or have a control
  ///   character other than tab, line feed, form feed and carriage return
  static Optional<String> name(byte[] head) {
    CharBuffer decoded = CharBuffer.allocate(head.length);
    CoderResult result =
        UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .decode(ByteBuffer.wrap(head), decoded, false);
    if (result.isError() || decoded.position() == 0) {
      return Optional.empty();
    }
    String text = decoded.flip().toString();
    if (!text.chars().allMatch(PrintableText::printable)) {
      return Optional.empty();
    }
    return Optional.of(kind(text));
  }

  private static boolean printable(int c) {
    return c == '\t' || c == '\n' || c == '\f' || c == '\r' || !Character.isISOControl(c);
  }

  private static String kind(String text) {
    String begin =
        (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text)
            .stripLeading()
            .toLowerCase(Locale.ROOT);
    if (begin.startsWith("<!doctype html") || begin.startsWith("<html")) {
      return "HTML page";
    }
    if (begin.startsWith("<")) {
      return "XML or HTML document";
    }
    if (begin.startsWith("{") || begin.startsWith("[")) {
      return "JSON document";
    }
    return begin.startsWith("version https://git-lfs") ? "Git LFS pointer" : "text file";
  }
}

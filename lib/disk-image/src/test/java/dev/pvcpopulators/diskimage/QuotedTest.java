package dev.pvcpopulators.diskimage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotedTest {
  /// The tested code points are line ends, control characters, changes of the writing direction,
  /// invisible characters, unpaired surrogates, and private or unassigned code points.
  @ParameterizedTest
  @ValueSource(
      ints = {
        0, '\n', '\r', 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x200b, 0x200f, 0x2028, 0x2029, 0x202e,
        0x2066, 0x2069, 0xd800, 0xdfff, 0xe000, 0xfeff, 0xffff, 0xe0041
      })
  void replacesControlCharacters(int codePoint) {
    assertEquals("\"a?b\"", Quoted.of("a" + Character.toString(codePoint) + "b"));
  }

  @Test
  void lettersOfAnyScriptStay() {
    assertEquals("\"Größe 磁盘 диск 💾\"", Quoted.of("Größe 磁盘 диск 💾"));
  }

  @Test
  void longTextIsCut() {
    assertEquals("xyz", Quoted.plain("xyz", 3));
    assertEquals("xyz…", Quoted.plain("xyz\n", 3));
  }
}

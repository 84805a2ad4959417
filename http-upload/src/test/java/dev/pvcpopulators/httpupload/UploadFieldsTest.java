package dev.pvcpopulators.httpupload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the parsers of `Content-Range` and of the digest fields.
class UploadFieldsTest {
  private static final String MOST = "9".repeat(18);

  @Test
  void readsRanges() {
    ContentRange range = ContentRange.parse("bytes 42-1233/1234");
    assertEquals(new ContentRange(42, 1233, OptionalLong.of(1234)), range);
    assertEquals(1192, range.length());
    assertTrue(range.endsTheWhole());
    assertFalse(ContentRange.parse("bytes 42-1232/1234").endsTheWhole());
    assertFalse(ContentRange.parse("bytes 42-1233/*").endsTheWhole());
    assertEquals(1, ContentRange.parse(" BYTES 0-0/1 ").length());
    assertEquals(
        999_999_999_999_999_999L, ContentRange.parse("bytes 0-" + MOST + "/*").length() - 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "bytes */100",
        "bytes 1-0/100",
        "bytes 0-100/100",
        "bytes 0-99/-1",
        "bytes 0-1",
        "lines 0-1/2",
        "bytes -1-1/2",
        "bytes 0-9999999999999999999/*",
        "bytes 0-1/2, bytes 3-4/5"
      })
  void refusesOtherRanges(String value) {
    assertThrows(IllegalArgumentException.class, () -> ContentRange.parse(value));
  }

  private static String base64(int length) {
    return Base64.getEncoder().encodeToString(new byte[length]);
  }

  @Test
  void readsDigestFields() {
    ExpectedDigest sha256 = new ExpectedDigest(Algorithm.SHA_256, "00".repeat(32));
    ExpectedDigest sha512 = new ExpectedDigest(Algorithm.SHA_512, "00".repeat(64));
    assertEquals(
        List.of(sha256, sha512),
        ExpectedDigest.parseField(
            "sha-256=:" + base64(32) + ":,  sha-512 = :" + base64(64) + ":;q=1"));
    assertEquals(
        List.of(sha256),
        ExpectedDigest.parseField("md5=:" + base64(16) + ":,sha-256=:" + base64(32) + ":"));
  }

  @Test
  void takesDigestsOfTheRightLengthOnly() {
    for (int length : new int[] {0, 31, 33}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> ExpectedDigest.parseField("sha-256=:" + base64(length) + ":"));
    }
    for (int length : new int[] {63, 65}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> ExpectedDigest.parseField("sha-512=:" + base64(length) + ":"));
    }
  }

  @Test
  void refusesFieldsThatPromiseNothingThatCanBeChecked() {
    for (String value :
        new String[] {"", "md5=:" + base64(16) + ":", "sha-256", "sha-256=abc", "sha-256=:A:,"}) {
      assertThrows(IllegalArgumentException.class, () -> ExpectedDigest.parseField(value), value);
    }
  }

  @Test
  void readsHexadecimalChecksums() {
    assertEquals("ab".repeat(32), ExpectedDigest.parseHexSha256(" " + "Ab".repeat(32)).hex());
    for (String value : new String[] {"", "ab".repeat(31), "ab".repeat(33), "zz".repeat(32)}) {
      assertThrows(IllegalArgumentException.class, () -> ExpectedDigest.parseHexSha256(value));
    }
  }
}

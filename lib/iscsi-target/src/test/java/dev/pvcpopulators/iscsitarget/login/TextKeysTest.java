package dev.pvcpopulators.iscsitarget.login;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.login.text.BinaryValue;
import dev.pvcpopulators.iscsitarget.login.text.MalformedTextException;
import dev.pvcpopulators.iscsitarget.login.text.NumericalValue;
import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextKeysTest {
  private static TextKeys read(String text) throws MalformedTextException {
    return TextKeys.read(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void readsPairsInOrderAndValuesWithEqualsSigns() throws MalformedTextException {
    assertEquals(
        List.of(
            new TextKeys.Pair("CHAP_R", "0bYWJj=="),
            new TextKeys.Pair("X#NodeArchitecture", ""),
            new TextKeys.Pair("InitiatorAlias", "h\u00f6st")),
        read("CHAP_R=0bYWJj==\0X#NodeArchitecture=\0\0\0InitiatorAlias=h\u00f6st\0").pairs());
    assertEquals(List.of(), read("").pairs());
    assertEquals(List.of(), read("\0\0").pairs());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Key=value", // no NUL at the end
        "Key\0", // no value
        "=value\0", // no key
        "Key =value\0",
        "K\u00e9y=value\0",
        "K\u0007y=value\0",
        "Key=1\0Key=1\0"
      })
  void refusesInvalidText(String text) {
    assertThrows(MalformedTextException.class, () -> read(text));
  }

  @Test
  void refusesBytesThatAreNoUtf8() {
    byte[] text = {'K', '=', (byte) 0xc0, (byte) 0x80, 0};
    assertThrows(MalformedTextException.class, () -> TextKeys.read(ByteBuffer.wrap(text)));
  }

  @Test
  void takes64PairsAndKeysOf63Bytes() throws MalformedTextException {
    StringBuilder text = new StringBuilder("K".repeat(63)).append("=v\0");
    for (int i = 1; i < 64; i++) {
      text.append("Key").append(i).append("=v\0");
    }
    assertEquals(64, read(text.toString()).pairs().size());
    assertThrows(MalformedTextException.class, () -> read(text + "Key64=v\0"));
    assertThrows(MalformedTextException.class, () -> read("K".repeat(64) + "=v\0"));
  }

  @Test
  void writesPairsEachWithItsNul() {
    TextKeys keys = new TextKeys().add("TargetAlias", "\u00e4").add("MaxConnections", 1);
    byte[] written = new byte[keys.write().remaining()];
    keys.write().get(written);
    assertArrayEquals(
        "TargetAlias=\u00e4\0MaxConnections=1\0".getBytes(StandardCharsets.UTF_8), written);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "7, 7",
    "0x0, 0",
    "0xfF, 255",
    "0X10, 16",
    "255, 255",
    "007, 7",
    "000000000000007, 7"
  })
  void readsNumbers(String text, long expected) {
    assertEquals(OptionalLong.of(expected), NumericalValue.parse(text, 0, 255));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "256",
        "-1",
        "+1",
        "0x",
        "0x100",
        "1 ",
        "1.0",
        "ff",
        "0000000000000007",
        "0xffffffffffffffffff",
        "\u0661"
      })
  void refusesNumbersOutOfRange(String text) {
    assertEquals(OptionalLong.empty(), NumericalValue.parse(text, 0, 255));
  }

  @ParameterizedTest
  @CsvSource({"0x, ''", "0x00fF, 00ff", "0XAB, ab", "0bAP8=, 00ff", "0BAP8, 00ff"})
  void readsBinaryValues(String text, String expected) {
    assertEquals(Optional.of(expected), BinaryValue.parse(text, 2).map(HexFormat.of()::formatHex));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "00ff", "0x0", "0xgg", "0x000000", "0bAAAA", "0b*", "0b=", "1x00"})
  void refusesWhatIsNoBinaryValueOfTwoBytes(String text) {
    assertEquals(Optional.empty(), BinaryValue.parse(text, 2).map(b -> b.length));
  }
}

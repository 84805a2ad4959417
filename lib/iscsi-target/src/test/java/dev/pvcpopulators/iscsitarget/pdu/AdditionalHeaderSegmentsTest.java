package dev.pvcpopulators.iscsitarget.pdu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdditionalHeaderSegmentsTest {
  private static AdditionalHeaderSegments read(String digits) throws MalformedPduException {
    return AdditionalHeaderSegments.read(HexBytes.within(digits));
  }

  @Test
  void readsNone() throws MalformedPduException {
    assertEquals(new AdditionalHeaderSegments(Optional.empty(), OptionalLong.empty()), read(""));
  }

  @Test
  void readsAnExtendedCdbOf32Bytes() throws MalformedPduException {
    AdditionalHeaderSegments segments = read("0011 01 00 101112131415161718191a1b1c1d1e1f");
    assertEquals(
        Optional.of(HexBytes.of("101112131415161718191a1b1c1d1e1f")), segments.extendedCdb());
    assertTrue(segments.expectedBidirectionalReadDataLength().isEmpty());
  }

  @Test
  void readsBothTypesWithPaddingBetween() throws MalformedPduException {
    AdditionalHeaderSegments segments = read("0003 01 00 1011 0000  0005 02 00 fffffffe");
    assertEquals(Optional.of(HexBytes.of("1011")), segments.extendedCdb());
    assertEquals(OptionalLong.of(0xfffffffeL), segments.expectedBidirectionalReadDataLength());
  }

  @Test
  void takesTheLongestCdbAndNoLonger() throws MalformedPduException {
    String longest = "00f5 01 00" + "5a".repeat(244);
    assertEquals(244, read(longest).extendedCdb().orElseThrow().remaining());
    String longer = "00f6 01 00" + "5a".repeat(245) + "000000";
    assertThrows(MalformedPduException.class, () -> read(longer));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0000 01 00", // length 0
        "0001 01 00", // an empty CDB
        "0006 02 00 00000000 00000000", // a length of more than four bytes
        "0004 02 00 00000000",
        "0005 02 00", // longer than the input
        "ffff 01 00 00000000",
        "0005 00 00 00000000", // reserved types
        "0005 03 00 00000000",
        "0005 3f 00 00000000",
        "0005 02 00 00000000 0005 02 00 00000000", // the same type twice
        "0002 01 00 10000000 0002 01 00 10000000",
        "0005", // a piece of a segment
      })
  void refuses(String digits) {
    assertThrows(MalformedPduException.class, () -> read(digits));
  }
}

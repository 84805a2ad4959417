package dev.pvcpopulators.iscsitarget.pdu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the digest examples of RFC 7143, appendix A.4.
class DigestGeneratorTest {
  @ParameterizedTest
  @CsvSource({
    "0000000000000000000000000000000000000000000000000000000000000000, aa36918a",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff, 43aba862",
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f, 4e79dd46",
    "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100, 5cdb3f11",
    "01c0000000000000000000000000000014000000000004000000001400000018"
        + "28000000000000000200000000000000, 563a96d9"
  })
  void makesTheDigestsOfTheSpecification(String digits, String expected) {
    DigestGenerator generator = new DigestGenerator();
    ByteBuffer wire = ByteBuffer.allocate(PduFormat.DIGEST_LENGTH);
    for (int i = 0; i < 2; i++) { // the second digest must not depend on the first digest
      wire.clear().putInt(generator.update(HexBytes.of(digits)).finish()).flip();
      assertEquals(HexBytes.of(expected), wire);
    }
    ByteBuffer bytes = HexBytes.of(digits);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
    generator.update(direct.duplicate().limit(7)).update(direct.position(7));
    assertEquals(wire.getInt(0), generator.finish(), "in two pieces, out of a direct buffer");
  }

  @ParameterizedTest
  @CsvSource({"01, 01000000", "0102, 01020000", "010203, 01020300", "01020304, 01020304"})
  void coversThePadding(String data, String padded) {
    DigestGenerator generator = new DigestGenerator();
    int expected = generator.update(HexBytes.of(padded)).finish();
    ByteBuffer bytes = HexBytes.of(data);
    int length = bytes.remaining();
    assertEquals(
        expected,
        generator.update(bytes).update(ByteBuffer.allocate(PduFormat.padding(length))).finish());
  }
}

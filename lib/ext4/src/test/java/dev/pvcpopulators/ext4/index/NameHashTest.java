package dev.pvcpopulators.ext4.index;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.ext4.structure.Name;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameHashTest {
  /// The test vectors come from the authors of SipHash-2-4. The input is the bytes 0, 1, 2 and so
  /// on. `bytes` are the first four bytes of the hash.
  @ParameterizedTest
  @CsvSource({"0, 310e0edd", "1, fd67dc93", "7, 37d1018b", "8, 6224939a", "15, e545be49"})
  void isSipHash(int length, String bytes) {
    ByteBuffer input = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < length; i++) {
      input.put(2 + i, (byte) i);
    }
    int expected = Integer.reverseBytes(Integer.parseUnsignedInt(bytes, 16));
    assertEquals(expected, NameHash.of(input, 2, length));
  }

  @Test
  void isTheSameOfANameAndOfItsBytes() {
    Name name = Name.of("a name of some length");
    ByteBuffer bytes = ByteBuffer.wrap(name.toArray()).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(NameHash.of(bytes, 0, name.length()), NameHash.of(name));
  }
}

package dev.pvcpopulators.registry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.DigestMismatchException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifiedStreamTest {
  // FIPS 180-4 examples, "abc".
  private static final String ABC_SHA256 =
      "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  private static final String ABC_SHA512 =
      "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";

  @ParameterizedTest
  @CsvSource({ABC_SHA256, ABC_SHA512})
  void endsWhereDigestAndSizeAreRight(String digest) throws IOException {
    AtomicLong heard = new AtomicLong();
    try (VerifiedStream stream = stream("abc", digest, 3, heard::addAndGet)) {
      assertArrayEquals("abc".getBytes(US_ASCII), stream.readAllBytes());
      assertEquals(-1, stream.read());
    }
    assertEquals(3, heard.get());
  }

  @Test
  void returnsSingleBytes() throws IOException {
    try (VerifiedStream stream = stream("abc", ABC_SHA256, 3, TransferListener.NONE)) {
      assertEquals('a', stream.read());
      assertEquals(2, stream.skip(10));
      assertEquals(-1, stream.read());
    }
  }

  @Test
  void endsWhereNothingIsExpected() throws IOException {
    Digest empty = Digest.of(Digest.Algorithm.SHA256, new byte[0]);
    try (VerifiedStream stream = stream("", empty.toString(), 0, TransferListener.NONE)) {
      assertEquals(-1, stream.read());
    }
  }

  @ParameterizedTest
  @CsvSource({"abd,3", "ab,3", "'',3", "abc,4", "abcd,3", "abc,2", "abc,0"})
  void neverEndsOtherwise(String content, long size) throws IOException {
    AtomicLong heard = new AtomicLong();
    try (VerifiedStream stream = stream(content, ABC_SHA256, size, heard::addAndGet)) {
      DigestMismatchException thrown =
          assertThrows(DigestMismatchException.class, stream::readAllBytes);
      String message = String.valueOf(thrown.getMessage());
      assertTrue(message.contains(ABC_SHA256), message);
      assertThrows(DigestMismatchException.class, stream::read);
    }
    assertTrue(heard.get() <= size, heard + " bytes heard");
  }

  @Test
  void refusesTheFirstByteTooMany() throws IOException {
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return 'x';
          }
        };
    Descriptor descriptor = new Descriptor("", Digest.parse(ABC_SHA256), 3, Map.of());
    try (VerifiedStream stream = new VerifiedStream(endless, descriptor, TransferListener.NONE)) {
      assertEquals(3, stream.readNBytes(3).length);
      assertThrows(DigestMismatchException.class, stream::read);
    }
  }

  private static VerifiedStream stream(
      String content, String digest, long size, TransferListener listener) {
    return new VerifiedStream(
        new ByteArrayInputStream(content.getBytes(US_ASCII)),
        new Descriptor("", Digest.parse(digest), size, Map.of()),
        listener);
  }
}

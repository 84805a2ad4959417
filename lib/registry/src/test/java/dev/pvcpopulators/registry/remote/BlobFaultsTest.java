package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlobFaultsTest {
  private static final int LENGTH = 3_000_000;

  private final Content content = Content.random(new Random(1), LENGTH);
  private final AtomicInteger attempt = new AtomicInteger();

  @Test
  void resumesWhereverTheConnectionIsCut() throws IOException {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.println("Cuts by seed " + seed);
    Random random = new Random(seed);
    List<Integer> cuts =
        IntStream.generate(() -> random.nextInt(LENGTH)).limit(10).sorted().boxed().toList();
    AtomicLong heard = new AtomicLong();
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              int index = attempt.getAndIncrement();
              reply.blob(request, content.bytes(), index < 10 ? cuts.get(index) : LENGTH);
              if (index < 10 && index % 2 == 0) {
                reply.reset();
              }
            });
        RegistryStore store = registry.store();
        InputStream blob = store.blob(content.descriptor(), heard::addAndGet)) {
      assertArrayEquals(content.bytes(), blob.readAllBytes());
      assertEquals(LENGTH, heard.get());
      // A reset may discard sent bytes, so a resume may start before the offset at which the server
      // stopped.
      List<FaultyRegistry.Request> requests = registry.requests();
      for (int index = 1; index < requests.size(); index++) {
        int offset = requests.get(index).offset();
        assertTrue(offset <= cuts.get(Math.min(index, 10) - 1), "resumed at " + offset);
      }
    }
  }

  @Test
  void skipsReceivedBytesWithoutRanges() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          int end = Math.min(LENGTH, 1_000_000 * (1 + attempt.getAndIncrement()));
          reply.head(200, "Content-Length: " + LENGTH).bytes(content.bytes(), 0, end);
        })) {
      assertArrayEquals(content.bytes(), read(registry));
      assertEquals(List.of("", "bytes=1000000-", "bytes=2000000-"), registry.seen("range"));
    }
  }

  @Test
  void resumesWhereTheServerSendsAPartOfThePart() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          int offset = request.offset();
          int end = Math.min(LENGTH, offset + 1_000_000);
          if (offset == 0) {
            reply.blob(request, content.bytes(), end);
          } else {
            reply.send(
                206,
                Arrays.copyOfRange(content.bytes(), offset, end),
                "Content-Range: bytes " + offset + "-" + (end - 1) + "/" + LENGTH);
          }
        })) {
      assertArrayEquals(content.bytes(), read(registry));
      assertEquals(3, registry.requests().size());
    }
  }

  @Test
  void resumesAfterSilence() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              // Each attempt that starts in the first half stalls at the middle of the blob. On a
              // busy machine, an attempt may time out before it reaches the middle.
              boolean stalls = request.offset() < LENGTH / 2;
              reply.blob(request, content.bytes(), stalls ? LENGTH / 2 : LENGTH);
              if (stalls) {
                reply.stall();
              }
            });
        RegistryStore store =
            registry.store(
                registry.options().withIdleTimeout(Duration.ofMillis(500)).withRetries(100))) {
      assertArrayEquals(content.bytes(), read(store));
      List<String> ranges = registry.seen("range");
      assertTrue(ranges.contains("bytes=" + LENGTH / 2 + "-"), ranges::toString);
    }
  }

  @Test
  void doesNotWaitForACompleteDisk() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          reply.blob(request, content.bytes(), LENGTH);
          reply.stall();
        })) {
      assertArrayEquals(content.bytes(), read(registry));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bytes 0-2999999/3000000",
        "bytes 999999-2999999/3000000",
        "bytes 1000001-2999999/3000000",
        "bytes */3000000",
        "lines 1000000-2999999/3000000",
        ""
      })
  void refusesAnotherRange(String range) throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (request.offset() == 0) {
            reply.blob(request, content.bytes(), 1_000_000);
          } else {
            reply.send(206, content.bytes(), "Content-Range: " + range);
          }
        })) {
      assertThrows(SourceUnavailableException.class, () -> read(registry));
      assertEquals(2, registry.requests().size());
    }
  }

  @Test
  void refusesAnUnrequestedRange() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) ->
            reply.send(206, content.bytes(), "Content-Range: bytes 0-2999999/3000000"))) {
      assertThrows(SourceUnavailableException.class, () -> read(registry));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 500, 502, 503, 504})
  void triesAgainWhereTheServerIsBusy(int status) throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (attempt.getAndIncrement() < 3) {
            reply.send(status, "busy", "Retry-After: 0");
          } else {
            reply.blob(request, content.bytes(), LENGTH);
          }
        })) {
      assertArrayEquals(content.bytes(), read(registry));
      assertEquals(4, registry.requests().size());
    }
  }

  @Test
  void givesUpAfterItsRetries() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> reply.send(503, "", "Retry-After: 0"))) {
      String message = message(SourceUnavailableException.class, registry);
      assertTrue(message.contains("4 attempts") && message.contains("503"), message);
      assertEquals(4, registry.requests().size());
    }
  }

  @Test
  void countsRetriesFromTheLastProgress() throws IOException {
    // Of every three attempts, the server resets the first two and sends one megabyte in the third.
    // Each received megabyte restarts the count of retries.
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (attempt.getAndIncrement() % 3 < 2) {
            reply.reset();
          } else {
            reply.blob(request, content.bytes(), request.offset() + 1_000_000);
          }
        })) {
      assertArrayEquals(content.bytes(), read(registry));
      assertEquals(9, registry.requests().size());
    }
  }

  @Test
  void failsIfAPartHasNoBytes() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> reply.blob(request, content.bytes(), 1_000))) {
      assertThrows(SourceUnavailableException.class, () -> read(registry));
      assertEquals(4, registry.requests().size());
    }
  }

  @Test
  void reportsARefusalAsSuch() throws IOException {
    refusedAtOnce(400, SourceUnavailableException.class);
    refusedAtOnce(401, SourceDeniedException.class);
    refusedAtOnce(403, SourceDeniedException.class);
    refusedAtOnce(404, SourceNotFoundException.class);
    refusedAtOnce(416, SourceUnavailableException.class);
  }

  private void refusedAtOnce(int status, Class<? extends IOException> expected) throws IOException {
    String document = "{\"errors\":[{\"code\":\"SOME_CODE\",\"message\":\"s3cret\"}]}";
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> reply.send(status, document))) {
      String message = message(expected, registry);
      assertTrue(!message.contains("s3cret"), message);
      assertEquals(1, registry.requests().size());
    }
  }

  @Test
  void refusesLengthsThatAreNotTheDescriptors() throws IOException {
    for (int length : List.of(0, LENGTH - 1, LENGTH + 1)) {
      byte[] other = Arrays.copyOf(content.bytes(), length);
      try (FaultyRegistry registry =
          new FaultyRegistry((request, reply) -> reply.send(200, other))) {
        assertThrows(DigestMismatchException.class, () -> read(registry));
        assertEquals(1, registry.requests().size());
      }
    }
  }

  @Test
  void refusesChunkedContentThatIsShorter() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) ->
            reply
                .head(200, "Transfer-Encoding: chunked")
                .chunk(Arrays.copyOf(content.bytes(), LENGTH - 1))
                .lastChunk())) {
      assertThrows(DigestMismatchException.class, () -> read(registry));
      assertEquals(1, registry.requests().size());
    }
  }

  @Test
  void refusesChunkedContentWithoutEnd() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          reply.head(200, "Transfer-Encoding: chunked");
          while (true) {
            reply.chunk(content.bytes());
          }
        })) {
      assertThrows(DigestMismatchException.class, () -> read(registry));
    }
  }

  @Test
  void takesChunkedContent() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) ->
            reply
                .head(200, "Transfer-Encoding: chunked")
                .chunk(Arrays.copyOf(content.bytes(), 1_000))
                .chunk(Arrays.copyOfRange(content.bytes(), 1_000, LENGTH))
                .lastChunk())) {
      assertArrayEquals(content.bytes(), read(registry));
    }
  }

  @Test
  void takesContentWithoutAnyLength() throws IOException {
    // The response has no length. So the client cannot distinguish the end of the content from a
    // lost connection, and resumes until all bytes have arrived.
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) ->
            reply
                .head(200)
                .bytes(content.bytes(), 0, attempt.getAndIncrement() == 0 ? 1_000_000 : LENGTH))) {
      assertArrayEquals(content.bytes(), read(registry));
      assertEquals(2, registry.requests().size());
    }
  }

  @Test
  void refusesOtherContent() throws IOException {
    byte[] other = content.bytes().clone();
    other[LENGTH / 2] ^= 1;
    try (FaultyRegistry registry = new FaultyRegistry((request, reply) -> reply.send(200, other))) {
      assertThrows(DigestMismatchException.class, () -> read(registry));
    }
  }

  @Test
  void neverAsksForNothing() throws IOException {
    Content empty = Content.of(new byte[0]);
    try (FaultyRegistry registry = new FaultyRegistry((request, reply) -> reply.reset());
        RegistryStore store = registry.store();
        InputStream blob = store.blob(empty.descriptor(), TransferListener.NONE)) {
      assertEquals(-1, blob.read());
      assertEquals(List.of(), registry.requests());
    }
  }

  @Test
  void leavesContentAsItWasEncoded() throws IOException {
    // The client requests no compression, but the registry states `Content-Encoding: gzip`. The
    // client must not decompress the body. The bytes of the body do not match the digest.
    byte[] encoded = new byte[LENGTH];
    try (FaultyRegistry registry =
        new FaultyRegistry(
            (request, reply) -> reply.send(200, encoded, "Content-Encoding: gzip"))) {
      assertThrows(DigestMismatchException.class, () -> read(registry));
      assertEquals(List.of("identity"), registry.seen("accept-encoding"));
    }
  }

  @Test
  void namesACodingThatWasAddedOnTheWay() throws IOException {
    String coding = "Content-Encoding: gzip";
    for (int length : List.of(LENGTH / 2, LENGTH, LENGTH + 1)) {
      byte[] encoded = new byte[length];
      try (FaultyRegistry measured =
              new FaultyRegistry((request, reply) -> reply.send(200, encoded, coding));
          FaultyRegistry chunked =
              new FaultyRegistry((request, reply) ->
                  reply
                      .head(200, "Transfer-Encoding: chunked", coding)
                      .chunk(encoded)
                      .lastChunk())) {
        for (FaultyRegistry registry : List.of(measured, chunked)) {
          String message = message(DigestMismatchException.class, registry);
          assertTrue(message.contains("Content-Encoding gzip"), message);
        }
      }
    }
  }

  @Test
  void keepsServerTextsOutOfMessages() throws IOException {
    // The HTTP client quotes an invalid chunk length in the message of its exception.
    String hostile = "\u001b[31m\u009b2J" + "Q".repeat(20_000) + "\r\n";
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) ->
            reply
                .head(200, "Transfer-Encoding: chunked")
                .bytes(hostile.getBytes(StandardCharsets.ISO_8859_1)))) {
      String message = message(SourceUnavailableException.class, registry);
      assertTrue(message.contains("?[31m"), message);
      assertTrue(message.chars().noneMatch(Character::isISOControl), message);
      assertTrue(message.length() < 600, message.length() + " characters");
    }
  }

  private String message(Class<? extends IOException> expected, FaultyRegistry registry) {
    return String.valueOf(assertThrows(expected, () -> read(registry)).getMessage());
  }

  private byte[] read(FaultyRegistry registry) throws IOException {
    try (RegistryStore store = registry.store()) {
      return read(store);
    }
  }

  private byte[] read(RegistryStore store) throws IOException {
    try (InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      return blob.readAllBytes();
    }
  }
}

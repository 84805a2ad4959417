package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.RegistryLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests reads of parts of a blob, in any order.
@Timeout(1200)
class RangeTest {
  private static final int LENGTH = 3_000_000;
  private static final Pattern BYTES = Pattern.compile("bytes=(\\d+)-(\\d+)");

  private final Content content = Content.random(new Random(7), LENGTH);

  /// Sends the requested range.
  ///
  /// @param most the maximum number of bytes that are sent; a longer range is truncated
  private void part(FaultyRegistry.Request request, FaultyRegistry.Reply reply, int most)
      throws IOException {
    Matcher range = BYTES.matcher(request.header("range").orElse(""));
    assertTrue(range.matches(), "asked for " + request);
    int first = Integer.parseInt(range.group(1));
    int last = Integer.parseInt(range.group(2));
    reply.head(
        206,
        "Content-Length: " + (last + 1 - first),
        "Content-Range: bytes " + first + "-" + last + "/" + LENGTH);
    reply.bytes(content.bytes(), first, Math.min(most, last + 1 - first));
  }

  private byte[] read(RegistryStore store, long offset, long length) throws IOException {
    try (InputStream part = store.range(content.descriptor(), offset, length)) {
      byte[] bytes = part.readAllBytes();
      assertEquals(-1, part.read());
      return bytes;
    }
  }

  private byte[] expected(int offset, int length) {
    return Arrays.copyOfRange(content.bytes(), offset, offset + length);
  }

  @Test
  @Tag("tools")
  void returnsExactlyTheRangeFromARealRegistry(@TempDir Path directory) throws IOException {
    byte[] disk = content.bytes();
    try (RealRegistry registry = RealRegistry.start(directory, "", "")) {
      registry.push("disk:v1", disk, "--dest-tls-verify=false");
      ChosenOptions options =
          ChosenOptions.defaults().withInsecureRegistries(Set.of(registry.authority()));
      try (RegistryStore store =
          RegistryStore.open(registry.reference("disk:v1"), options.options())) {
        Descriptor layer = layer(store);
        byte[] whole;
        try (InputStream blob = store.blob(layer, bytes -> {})) {
          whole = blob.readAllBytes();
        }
        int size = (int) layer.size();
        for (int[] part :
            new int[][] {{0, 1}, {0, size}, {size - 1, 1}, {511, 2}, {1_000_000, 1_048_576}}) {
          try (InputStream range = store.range(layer, part[0], part[1])) {
            assertArrayEquals(
                Arrays.copyOfRange(whole, part[0], part[0] + part[1]), range.readAllBytes());
          }
        }
      }
    }
  }

  private static Descriptor layer(RegistryStore store) throws IOException {
    var layer = store.root().document().path("layers").path(0);
    return new Descriptor(
        "", Digest.parse(layer.path("digest").asText()), layer.path("size").asLong(), Map.of());
  }

  @Test
  void asksOnceAndOnlyWhenItIsRead() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> part(request, reply, LENGTH));
        RegistryStore store = registry.store()) {
      store.range(content.descriptor(), 5, 10).close();
      assertEquals(List.of(), registry.requests());
      assertArrayEquals(expected(2_000_000, 65_536), read(store, 2_000_000, 65_536));
      assertEquals(List.of("bytes=2000000-2065535"), registry.seen("range"));
    }
  }

  @Test
  void takesUpWhatBrokeOff() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> part(request, reply, 300));
        RegistryStore store = registry.store()) {
      assertArrayEquals(expected(1000, 1000), read(store, 1000, 1000));
      assertEquals(
          List.of("bytes=1000-1999", "bytes=1300-1999", "bytes=1600-1999", "bytes=1900-1999"),
          registry.seen("range"));
    }
  }

  /// The resume must also work if the server ignores ranges and sends the whole blob.
  @Test
  void returnsTheRestAfterABreak() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              if (asked.getAndIncrement() == 0) {
                reply.head(
                    206,
                    "Content-Length: " + (LENGTH - 1000),
                    "Content-Range: bytes 1000-" + (LENGTH - 1) + "/" + LENGTH);
                reply.bytes(content.bytes(), 1000, 300);
              } else {
                reply.head(200, "Content-Length: " + LENGTH);
                reply.bytes(content.bytes(), 0, LENGTH);
              }
            });
        RegistryStore store = registry.store();
        InputStream rest = store.rest(content.descriptor(), 1000)) {
      assertArrayEquals(expected(1000, LENGTH - 1000), rest.readAllBytes());
      assertEquals(List.of("bytes=1000-", "bytes=1300-"), registry.seen("range"));
    }
  }

  @Test
  void failsIfNothingArrives() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              asked.incrementAndGet();
              reply.reset();
            });
        RegistryStore store = registry.store()) {
      assertThrows(SourceUnavailableException.class, () -> read(store, 0, 10));
      assertEquals(4, asked.get());
    }
  }

  @ParameterizedTest
  @CsvSource({
    // The client requests the bytes 10 to 19. Each line is the `Content-Range` of a wrong response:
    // another part, a shorter part, a longer part, a part of another blob, an unknown unit, no
    // part.
    "bytes 11-20/3000000",
    "bytes 10-18/3000000",
    "bytes 10-20/3000000",
    "bytes 10-19/3000001",
    "lines 10-19/3000000",
    "bytes */3000000"
  })
  void refusesAnotherPartAtOnce(String range) throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry(
                (request, reply) -> reply.send(206, new byte[10], "Content-Range: " + range));
        RegistryStore store = registry.store()) {
      assertThrows(SourceUnavailableException.class, () -> read(store, 10, 10));
      assertEquals(1, registry.requests().size());
    }
  }

  @Test
  void takesAPartOfWhatTheServerDoesNotKnowTheLengthOf() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) ->
                reply.send(206, expected(10, 10), "Content-Range: bytes 10-19/*"));
        RegistryStore store = registry.store()) {
      assertArrayEquals(expected(10, 10), read(store, 10, 10));
    }
  }

  @Test
  void readsNoMoreThanThePart() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) ->
                reply
                    .head(206, "Content-Range: bytes 10-19/" + LENGTH)
                    .bytes(content.bytes(), 10, 1_000_000));
        RegistryStore store = registry.store()) {
      assertArrayEquals(expected(10, 10), read(store, 10, 10));
    }
  }

  @Test
  void refusesTheWholeBlobInsteadOfARange() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> reply.send(200, content.bytes()));
        RegistryStore store = registry.store()) {
      for (int[] part : new int[][] {{10, 10}, {0, 10}, {0, LENGTH}}) {
        assertThrows(SourceUnavailableException.class, () -> read(store, part[0], part[1]));
      }
      assertEquals(3, registry.requests().size());
    }
  }

  @Test
  void reportsRefusalsOfTheRegistry() throws IOException {
    AtomicInteger status = new AtomicInteger(404);
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> reply.send(status.get(), ""));
        RegistryStore store = registry.store()) {
      assertThrows(SourceNotFoundException.class, () -> read(store, 0, 10));
      status.set(403);
      assertThrows(SourceDeniedException.class, () -> read(store, 0, 10));
      status.set(416);
      assertThrows(SourceUnavailableException.class, () -> read(store, 0, 10));
    }
  }

  @Test
  void passesOverAMirrorWithoutRanges() throws IOException {
    try (FaultyRegistry mirror =
            new FaultyRegistry((request, reply) -> reply.send(200, content.bytes()));
        FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> part(request, reply, LENGTH));
        RegistryStore store =
            registry.store(
                registry
                    .options()
                    .withInsecureRegistries(Set.of(registry.authority(), mirror.authority()))
                    .withMirrors(Map.of(registry.authority(), List.of(mirror.authority()))))) {
      assertArrayEquals(expected(7, 100), read(store, 7, 100));
      assertEquals(1, mirror.requests().size());
    }
  }

  @Test
  void sendsNoCredentialsAlongARedirect() throws IOException {
    String basic = "Basic " + Base64.getEncoder().encodeToString("user:s3cret".getBytes(UTF_8));
    try (FaultyRegistry storage =
            new FaultyRegistry((request, reply) -> part(request, reply, LENGTH));
        FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              if (request.header("authorization").isEmpty()) {
                reply.send(401, "", "WWW-Authenticate: Basic realm=\"r\"");
              } else {
                reply.send(307, "", "Location: " + storage.url("/signed"));
              }
            });
        RegistryStore store =
            registry.store(
                registry
                    .options()
                    .withInsecureRegistries(Set.of(registry.authority(), storage.authority()))
                    .withCredentials(GivenCredentials.password("user", "s3cret")))) {
      assertArrayEquals(expected(7, 100), read(store, 7, 100));
      assertEquals(List.of("", basic), registry.seen("authorization"));
      assertEquals(List.of(""), storage.seen("authorization"));
      assertEquals(List.of("bytes=7-106"), storage.seen("range"));
    }
  }

  @Test
  void closingItEndsAReadThatWaits() throws Exception {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              part(request, reply, 10);
              reply.stall();
            });
        RegistryStore store = registry.store()) {
      InputStream part = store.range(content.descriptor(), 0, 100);
      assertEquals(10, part.readNBytes(10).length);
      Thread closing = Thread.ofVirtual().start(() -> closeQuietly(part));
      assertThrows(IOException.class, part::read);
      closing.join();
    }
  }

  private static void closeQuietly(InputStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, RegistryLimits.RANGE_LENGTH + 1L})
  void refusesLengthsThatAreNone(long length) throws IOException {
    Descriptor large = new Descriptor("", content.descriptor().digest(), Long.MAX_VALUE, Map.of());
    try (FaultyRegistry registry = new FaultyRegistry((request, reply) -> reply.send(500, ""));
        RegistryStore store = registry.store()) {
      assertThrows(IllegalArgumentException.class, () -> store.range(large, 0, length));
      store.range(large, Long.MAX_VALUE - 1, 1).close();
      store.range(large, 0, RegistryLimits.RANGE_LENGTH).close();
      assertThrows(IllegalArgumentException.class, () -> store.range(large, -1, 1));
      assertThrows(IllegalArgumentException.class, () -> store.range(large, Long.MAX_VALUE, 1));
      assertThrows(
          IllegalArgumentException.class, () -> store.range(content.descriptor(), LENGTH - 9, 10));
      assertEquals(List.of(), registry.requests());
    }
  }
}

package dev.pvcpopulators.http.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileDownloadTest {
  private static final byte[] CONTENT = random(300_000, 1);

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static Checksum sha256(byte[] content) {
    return Checksum.of(Checksum.Algorithm.SHA256, content);
  }

  private static byte[] read(FileServer server, Optional<Checksum> expected) throws IOException {
    try (DownloadSession session = new DownloadSession(FileServer.access(3, server));
        FileDownload file = FileDownload.open(session, server.url(), expected, _ -> {});
        InputStream in = file.open()) {
      return in.readAllBytes();
    }
  }

  @Test
  void givesTheFileAndItsChecksum() throws IOException {
    try (FileServer server =
            new FileServer(it -> FileServer.file(it, CONTENT, FileServer.TAG, CONTENT.length));
        DownloadSession session = new DownloadSession(FileServer.access(3, server));
        FileDownload file = FileDownload.open(session, server.url(), Optional.empty(), _ -> {})) {
      for (int pass = 0; pass < 2; pass++) {
        try (InputStream in = file.open()) {
          assertArrayEquals(CONTENT, in.readAllBytes());
        }
      }
      assertEquals(Optional.of(sha256(CONTENT)), file.checksum());
      assertEquals(CONTENT.length, file.head().size().orElseThrow());
      assertEquals(Optional.of(FileServer.TAG), file.head().validator());
      assertEquals("bytes", file.head().ranges());
      assertEquals(List.of("Bearer s3cret", "Bearer s3cret"), server.seen("Authorization"));
    }
  }

  @Test
  void resumesAfterTwentyRandomCuts() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    AtomicInteger cuts = new AtomicInteger();
    try (FileServer server =
        new FileServer(exchange -> {
          int left = CONTENT.length - FileServer.offset(exchange);
          int end =
              cuts.incrementAndGet() > 20
                  ? CONTENT.length
                  : FileServer.offset(exchange) + 1 + random.nextInt(Math.min(left, 10_000));
          FileServer.file(exchange, CONTENT, FileServer.TAG, end);
        })) {
      assertArrayEquals(CONTENT, read(server, Optional.empty()), () -> "seed " + seed);
      assertTrue(server.seen("Range").size() > 10, () -> "seed " + seed);
      assertTrue(
          server.seen("If-Range").stream().skip(1).allMatch(FileServer.TAG::equals),
          () -> "seed " + seed);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 416})
  void restartsWithoutResumableRanges(int status) throws IOException {
    try (FileServer server =
        new FileServer(exchange -> {
          exchange.getResponseHeaders().set("ETag", FileServer.TAG);
          boolean again = FileServer.offset(exchange) > 0;
          FileServer.send(exchange, again ? status : 200, CONTENT, 0, 1_000);
        })) {
      assertThrows(FileChangedException.class, () -> read(server, Optional.empty()));
    }
  }

  @Test
  void neverJoinsTwoVersions() throws IOException {
    byte[] other = random(CONTENT.length, 2);
    try (FileServer server =
        new FileServer(exchange -> {
          boolean again = FileServer.offset(exchange) > 0;
          FileServer.file(
              exchange, again ? other : CONTENT, again ? "\"v2\"" : FileServer.TAG, 1_000);
        })) {
      assertThrows(FileChangedException.class, () -> read(server, Optional.empty()));
    }
  }

  /// The `ETag`, the `Content-Range` or the length of the response shows that the server ignores
  /// `If-Range`.
  @ParameterizedTest
  @ValueSource(strings = {"tag", "total", "offset", "unit", "last", "length"})
  void refusesAPartOfAnotherFile(String wrong) throws IOException {
    try (FileServer server =
        new FileServer(exchange -> {
          int offset = FileServer.offset(exchange);
          if (offset == 0) {
            FileServer.file(exchange, CONTENT, FileServer.TAG, 1_000);
            return;
          }
          exchange
              .getResponseHeaders()
              .set("ETag", wrong.equals("tag") ? "\"v2\"" : FileServer.TAG);
          int begin = wrong.equals("offset") ? offset - 1 : offset;
          int total = wrong.equals("total") ? CONTENT.length + 1 : CONTENT.length;
          int last = wrong.equals("last") ? CONTENT.length : CONTENT.length - 1;
          String unit = wrong.equals("unit") ? "rows " : "bytes ";
          exchange
              .getResponseHeaders()
              .set("Content-Range", unit + begin + "-" + last + "/" + total);
          int from = wrong.equals("length") ? begin - 1 : begin;
          FileServer.send(exchange, 206, CONTENT, from, CONTENT.length);
        })) {
      assertThrows(FileChangedException.class, () -> read(server, Optional.empty()));
    }
  }

  /// The partial response has no `Content-Length`. Its body is one byte longer than its
  /// `Content-Range` announces.
  @Test
  void refusesMoreBytesThanAnnounced() throws IOException {
    try (FileServer server =
        new FileServer(exchange -> {
          int offset = FileServer.offset(exchange);
          if (offset == 0) {
            FileServer.file(exchange, CONTENT, FileServer.TAG, 1_000);
            return;
          }
          exchange.getResponseHeaders().set("ETag", FileServer.TAG);
          exchange
              .getResponseHeaders()
              .set(
                  "Content-Range",
                  "bytes " + offset + "-" + (CONTENT.length - 1) + "/" + CONTENT.length);
          exchange.sendResponseHeaders(206, 0);
          exchange.getResponseBody().write(CONTENT, offset, CONTENT.length - offset);
          exchange.getResponseBody().write(1);
          exchange.getResponseBody().close();
        })) {
      assertThrows(DigestMismatchException.class, () -> read(server, Optional.empty()));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"W/\"v1\"", "v1", ""})
  void resumesByNoWeakValidator(String tag) throws IOException {
    try (FileServer server =
        new FileServer(exchange -> {
          exchange.getResponseHeaders().set("ETag", tag);
          FileServer.send(exchange, 200, CONTENT, 0, 1_000);
        })) {
      assertThrows(FileChangedException.class, () -> read(server, Optional.empty()));
      assertEquals(List.of(""), server.seen("Range"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Thu, 01 Jan 2026 00:00:00 GMT"})
  void resumesByADateThatIsOldEnough(String modified) throws IOException {
    try (FileServer server =
        new FileServer(exchange -> {
          int offset = FileServer.offset(exchange);
          exchange.getResponseHeaders().set("Last-Modified", modified);
          if (offset > 0) {
            exchange
                .getResponseHeaders()
                .set(
                    "Content-Range",
                    "bytes " + offset + "-" + (CONTENT.length - 1) + "/" + CONTENT.length);
          }
          FileServer.send(
              exchange, offset > 0 ? 206 : 200, CONTENT, offset, offset > 0 ? CONTENT.length : 9);
        })) {
      assertArrayEquals(CONTENT, read(server, Optional.empty()));
      assertEquals(List.of("", modified), server.seen("If-Range"));
    }
  }

  @Test
  void refusesAnotherChecksum() throws IOException {
    try (FileServer server =
        new FileServer(it -> FileServer.file(it, CONTENT, FileServer.TAG, CONTENT.length))) {
      DigestMismatchException refusal =
          assertThrows(
              DigestMismatchException.class, () -> read(server, Optional.of(sha256(random(5, 5)))));
      String message = String.valueOf(refusal.getMessage());
      assertTrue(message.contains("/images/disk.img: expected sha256:"), message);
      assertFalse(message.contains("s3cret"), message);
    }
  }

  /// The expected digest is the digest of an empty file. The first check resets the
  /// `MessageDigest`. A second check would therefore find the expected digest and succeed.
  @Test
  void staysRefused() throws IOException {
    Checksum ofNothing = sha256(new byte[0]);
    try (FileServer server =
            new FileServer(it -> FileServer.file(it, CONTENT, FileServer.TAG, CONTENT.length));
        DownloadSession session = new DownloadSession(FileServer.access(3, server));
        FileDownload file =
            FileDownload.open(session, server.url(), Optional.of(ofNothing), _ -> {});
        InputStream in = file.open()) {
      DigestMismatchException refusal =
          assertThrows(DigestMismatchException.class, in::readAllBytes);
      assertSame(refusal, assertThrows(DigestMismatchException.class, in::read));
    }
  }

  @Test
  void namesACodingThatWasAddedOnTheWay() throws IOException {
    try (FileServer server =
        new FileServer(exchange -> {
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          FileServer.file(exchange, CONTENT, FileServer.TAG, CONTENT.length);
        })) {
      DigestMismatchException refusal =
          assertThrows(
              DigestMismatchException.class, () -> read(server, Optional.of(sha256(random(5, 5)))));
      String message = String.valueOf(refusal.getMessage());
      assertTrue(message.contains("disk.img (sent with Content-Encoding gzip"), message);
    }
  }

  @Test
  void reportsRefusalsOfTheServer() throws IOException {
    refused(404, SourceNotFoundException.class);
    refused(410, SourceNotFoundException.class);
    refused(401, SourceDeniedException.class);
    refused(403, SourceDeniedException.class);
    refused(400, SourceUnavailableException.class);
  }

  private static void refused(int status, Class<? extends IOException> expected)
      throws IOException {
    try (FileServer server =
        new FileServer(it -> FileServer.send(it, status, "s3cret".getBytes(UTF_8), 0, 6))) {
      IOException refusal = assertThrows(expected, () -> read(server, Optional.empty()));
      assertFalse(String.valueOf(refusal.getMessage()).contains("s3cret"));
      assertEquals(1, server.seen("Range").size());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503})
  void triesAgainAsAsked(int status) throws IOException {
    AtomicInteger requests = new AtomicInteger();
    try (FileServer server =
        new FileServer(exchange -> {
          if (requests.incrementAndGet() <= 3) {
            exchange.getResponseHeaders().set("Retry-After", "0");
            FileServer.send(exchange, status, new byte[1], 0, 1);
          } else {
            FileServer.file(exchange, CONTENT, FileServer.TAG, CONTENT.length);
          }
        })) {
      assertArrayEquals(CONTENT, read(server, Optional.empty()));
    }
  }

  @Test
  void showsTheCredentialsToNoOtherOrigin() throws IOException {
    try (FileServer storage =
            new FileServer(it -> FileServer.file(it, CONTENT, FileServer.TAG, CONTENT.length));
        FileServer server =
            new FileServer(exchange -> {
              String host = storage.authority().replace("127.0.0.1", "localhost");
              exchange.getResponseHeaders().set("Location", "http://" + host + "/signed");
              exchange.sendResponseHeaders(302, -1);
            });
        DownloadSession session = new DownloadSession(FileServer.access(0, server, storage))) {
      try (FileDownload file = FileDownload.open(session, server.url(), Optional.empty(), _ -> {});
          InputStream in = file.open()) {
        assertArrayEquals(CONTENT, in.readAllBytes());
      }
      // `storage` is another origin, so a request to `storage` contains no credentials.
      try (FileDownload file =
          FileDownload.open(session, storage.url(), Optional.empty(), _ -> {})) {
        assertEquals(Optional.of(FileServer.TAG), file.head().validator());
      }
      assertEquals(List.of("Bearer s3cret"), server.seen("Authorization"));
      assertEquals(List.of("", ""), storage.seen("Authorization"));
      assertEquals(List.of("", ""), storage.seen("X-key"));
    }
  }

  @Test
  void aChunkedFileEndsWithItsLastChunkOnly() throws IOException {
    try (FileServer server =
        new FileServer(exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write(CONTENT);
          exchange.getResponseBody().close();
        })) {
      assertArrayEquals(CONTENT, read(server, Optional.empty()));
    }
  }

  @Test
  void readsAFileOfChecksums() throws IOException {
    String sums = sha256(CONTENT).hex() + " *disk.img\n";
    try (FileServer server =
            new FileServer(it -> FileServer.send(it, 200, sums.getBytes(UTF_8), 0, sums.length()));
        DownloadSession session = new DownloadSession(FileServer.access(0, server))) {
      assertEquals(sha256(CONTENT), session.checksum(server.url(), server.url().fileName()));
    }
  }

  @Test
  void boundsAFileOfChecksums() throws IOException {
    byte[] endless = new byte[ChecksumFile.MAX_LENGTH + 1];
    try (FileServer server =
            new FileServer(it -> FileServer.send(it, 200, endless, 0, endless.length));
        DownloadSession session = new DownloadSession(FileServer.access(0, server))) {
      assertThrows(DigestMismatchException.class, () -> session.checksum(server.url(), "disk.img"));
    }
  }
}

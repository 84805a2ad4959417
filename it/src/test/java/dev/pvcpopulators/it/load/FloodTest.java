package dev.pvcpopulators.it.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Checks the memory of a service when many clients without a token send endless requests.
@Tag("tools")
final class FloodTest {
  private static final int CLIENTS = 32;

  private static final int HEADS = 500;

  /// The number of fields in a request head. With four bytes per field, the head is shorter than
  /// the limit for a head.
  private static final int FIELDS = 4_500;

  /// The length of a field in characters. The field alone exceeds the limit for a head.
  private static final int LARGE = 21_000;

  private static final long MAX_RESIDENT = 288L << 20;
  private static final long MOST_SENT = 1L << 30;

  private static final long LIMIT_SECONDS = 600;

  private static final String HEALTH = "/q/health/live";
  private static final String CHUNKED =
      IdleClients.head("POST", "/volume", "Transfer-Encoding", "chunked") + "\r\n";

  private static Service service;

  @BeforeAll
  static void start(@TempDir Path work) throws IOException, InterruptedException {
    service =
        Launch.on(VolumeDirectory.in(work, "volume").path())
            .shipped()
            .with("POPULATOR_TOKEN", "the-token-of-the-flood-test")
            .with("POPULATOR_HTTP_REQUEST_TIMEOUT", "3s")
            .start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @AfterEach
  void othersAreServed() throws IOException, InterruptedException {
    service.http().get(HEALTH).expect(200);
    long resident = service.peakResidentBytes();
    System.out.println("FloodTest: peak resident set " + (resident >> 20) + " MiB");
    assertTrue(resident < MAX_RESIDENT, () -> "peak resident set " + resident);
  }

  /// The first bytes of a connection, and the bytes that the client then repeats.
  enum Flood {
    FIRST_LINE("", "a"),
    PATH("GET /", "a"),
    FIELDS(IdleClients.head("GET", HEALTH), "X-Flood: a\r\n"),
    ONE_FIELD(IdleClients.head("GET", HEALTH) + "X-Flood: ", "a"),
    FIELD_NAME(IdleClients.head("GET", HEALTH), "X"),
    FOLDED_LINES(IdleClients.head("GET", HEALTH) + "X-Flood: a\r\n", " a\r\n"),
    CHUNK_EXTENSION(CHUNKED + "1", ";a=b"),
    CHUNK_EXTENSIONS(CHUNKED, "1;" + "a".repeat(4_000) + "\r\na\r\n"),
    TRAILERS(CHUNKED + "0\r\n", "X-Flood: a\r\n"),
    EMPTY_LINES("", "\r\n"),
    REQUESTS("", IdleClients.head("GET", "/q/metrics") + "\r\n"),
    REFUSED_REQUESTS("", IdleClients.head("GET", "/volume") + "\r\n");

    private final String begin;
    private final String again;

    Flood(String begin, String again) {
      this.begin = begin;
      this.again = again;
    }
  }

  /// The clients read no answers. The service must close each connection.
  @ParameterizedTest
  @EnumSource
  void endsWithTheConnection(Flood flood) throws Exception {
    byte[] block =
        flood.again.repeat(Math.max(1, 64_000 / flood.again.length())).getBytes(ISO_8859_1);
    List<Future<Long>> clients = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(threads.submit(() -> sendUntilClosed(flood, block)));
      }
      service.http().get(HEALTH).expect(200);
      for (Future<Long> client : clients) {
        client.get();
      }
    }
  }

  private static long sendUntilClosed(Flood flood, byte[] block) throws IOException {
    try (Socket socket = new Socket(service.base().getHost(), service.base().getPort())) {
      CompletableFuture<Void> limit =
          CompletableFuture.runAsync(
              () -> close(socket),
              CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS));
      OutputStream out = socket.getOutputStream();
      long sent = 0;
      try {
        out.write(flood.begin.getBytes(ISO_8859_1));
        for (; sent < MOST_SENT; sent += block.length) {
          out.write(block);
        }
      } catch (SocketException _) {
        if (limit.cancel(false)) {
          return sent; // The expected end.
        }
      }
      throw new AssertionError(flood + ": connection still open after " + sent + " bytes");
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The request heads never end, and together exceed the limit for all heads.
  @Test
  void manyHeadsThatAreNotTooLarge() throws IOException, InterruptedException {
    try (IdleClients crowd = new IdleClients(service.base())) {
      crowd.joinedBy(HEADS, IdleClients.head("GET", HEALTH) + "a:\r\n".repeat(FIELDS));
      service.http().get(HEALTH).expect(200);
      double ended =
          CrowdTest.metric(
              service.http(), "pvc_populator_http_connections_closed_total{reason=\"heads\"}");
      assertTrue(ended > 0, "no connection was closed");
    }
  }

  @Test
  void answersAHeadThatIsTooLarge() throws IOException, InterruptedException {
    String[] large = {"X-Large", "a".repeat(LARGE)};
    assertEquals(431, service.http().get(HEALTH, large).status());
  }
}

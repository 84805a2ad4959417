package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.Backoff;
import dev.pvcpopulators.http.SourceException;
import dev.pvcpopulators.registry.TransferListener;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tests that a waiting read of a blob ends when the blob's stream or the store is closed, or when
/// the reading thread is interrupted. Otherwise, the read would wait for an hour.
@Timeout(1200)
class ClosingTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final Content content = Content.random(new Random(5), 100_000);
  private final CountDownLatch reached = new CountDownLatch(1);

  @Test
  void endsARead() throws Exception {
    try (FaultyRegistry registry = stalling();
        RegistryStore store = store(registry);
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      endsBy(blob, blob);
    }
  }

  @Test
  @Tag("tools")
  void endsAReadOverTls(@TempDir Path directory) throws Exception {
    CertificateAuthority authority = CertificateAuthority.in(directory);
    authority.sign("registry", "IP:127.0.0.1");
    try (FaultyRegistry registry =
            new FaultyRegistry(this::stall, authority.sockets("registry"), "https");
        RegistryStore store =
            registry.store(
                ChosenOptions.defaults()
                    .withCaBundle(authority.certificate())
                    .withIdleTimeout(HOUR));
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      endsBy(blob, blob);
    }
  }

  @Test
  void endsAReadByClosingTheStore() throws Exception {
    try (FaultyRegistry registry = stalling();
        RegistryStore store = store(registry);
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      endsBy(blob, store);
      assertThrows(IOException.class, store::root);
      assertThrows(
          IOException.class, () -> store.blob(content.descriptor(), TransferListener.NONE));
    }
  }

  @Test
  void endsAWaitForTheHead() throws Exception {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reached.countDown();
              reply.stall();
            });
        RegistryStore store = store(registry);
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      endsBy(blob, blob);
    }
  }

  @Test
  void endsAPauseBetweenAttempts() throws Exception {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reply.send(503, "");
              reached.countDown();
            });
        RegistryStore store =
            registry.store("latest", registry.options(), new Backoff(HOUR, HOUR));
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      endsPauseBy(blob, blob);
    }
  }

  private void endsPauseBy(InputStream blob, Closeable closed) throws Exception {
    FutureTask<IOException> failure = failure(blob);
    Thread reader = Thread.ofPlatform().start(failure);
    reached.await();
    while (reader.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    closed.close();
    ended(failure);
  }

  @Test
  void endsByAnInterruptToo() throws Exception {
    try (FaultyRegistry registry = new FaultyRegistry((request, reply) -> reply.send(503, ""));
        RegistryStore store =
            registry.store("latest", registry.options(), new Backoff(HOUR, HOUR));
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      FutureTask<IOException> failure = failure(blob);
      Thread reader = Thread.ofPlatform().start(failure);
      reader.interrupt();
      ended(failure);
    }
  }

  @Test
  void dropsTheRestWithoutReadingIt() throws Exception {
    CountDownLatch dropped = new CountDownLatch(1);
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              try {
                reply.head(200, "Content-Length: " + content.bytes().length);
                reply.bytes(content.bytes(), 0, 50_000).stall();
              } finally {
                dropped.countDown();
              }
            });
        RegistryStore store = store(registry)) {
      InputStream blob = store.blob(content.descriptor(), TransferListener.NONE);
      assertEquals(1_000, blob.readNBytes(1_000).length);
      blob.close();
      dropped.await();
      assertThrows(IOException.class, blob::read);
    }
  }

  private FaultyRegistry stalling() throws IOException {
    return new FaultyRegistry(this::stall);
  }

  private void stall(FaultyRegistry.Request request, FaultyRegistry.Reply reply)
      throws IOException {
    reply.blob(request, content.bytes(), 50_000);
    reached.countDown();
    reply.stall();
  }

  private static RegistryStore store(FaultyRegistry registry) {
    return registry.store(registry.options().withIdleTimeout(HOUR));
  }

  private void endsBy(InputStream blob, Closeable closed) throws Exception {
    FutureTask<IOException> failure = failure(blob);
    Thread.ofPlatform().start(failure);
    reached.await();
    closed.close();
    ended(failure);
  }

  private static FutureTask<IOException> failure(InputStream blob) {
    return new FutureTask<>(() -> assertThrows(IOException.class, blob::readAllBytes));
  }

  private static void ended(FutureTask<IOException> failure)
      throws InterruptedException, ExecutionException {
    IOException thrown = assertInstanceOf(IOException.class, failure.get());
    assertTrue(!(thrown instanceof SourceException), thrown.toString());
  }
}

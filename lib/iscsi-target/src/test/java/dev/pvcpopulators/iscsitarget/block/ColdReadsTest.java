package dev.pvcpopulators.iscsitarget.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.block.access.ColdReads;
import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ColdReadsTest {
  private static final int LENGTH = 1 << 20;
  private static final int PAGE = 4096;

  /// Within this number of slow or fast reads, [ColdReads] detects the speed of the storage.
  private static final int MANY = 64;

  @TempDir Path directory;
  private Storage storage;
  private ColdReads reads;

  /// A file on storage with an adjustable latency. A read does not wait: it advances a simulated
  /// clock.
  private static final class Storage implements Medium {
    private final FileMedium file;
    private final AtomicLong clock = new AtomicLong();
    private volatile Duration latency = Duration.ZERO;
    private volatile CountDownLatch together = new CountDownLatch(0);
    private volatile boolean broken;

    Storage(FileMedium file) {
      this.file = file;
    }

    @Override
    public void read(long offset, ByteBuffer into) throws IOException {
      clock.addAndGet(latency.toNanos());
      CountDownLatch others = together;
      others.countDown();
      try {
        others.await();
      } catch (InterruptedException e) {
        throw new IOException("Nobody interrupts a read", e);
      }
      if (broken) {
        throw new IOException("Broken");
      }
      file.read(offset, into);
    }

    @Override
    public long length() {
      return file.length();
    }

    @Override
    public boolean writable() {
      return true;
    }

    @Override
    public @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access) {
      return file.arrival(offset, length, access);
    }

    @Override
    public void write(long offset, ByteBuffer from) throws IOException {
      file.write(offset, from);
    }

    @Override
    public void zero(long offset, long length) throws IOException {
      file.zero(offset, length);
    }

    @Override
    public void deallocate(long offset, long length) throws IOException {
      file.deallocate(offset, length);
    }

    @Override
    public Extent extent(long offset) throws IOException {
      return file.extent(offset);
    }

    @Override
    public void flush() throws IOException {
      file.flush();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  @BeforeEach
  void open() throws IOException {
    Path file = Files.write(directory.resolve("disk"), new byte[LENGTH]);
    storage = new Storage(FileMedium.open(file, true));
    reads = new ColdReads(storage, storage.clock::get);
  }

  @AfterEach
  void close() throws IOException {
    storage.close();
  }

  private void read(int times) throws IOException {
    for (int i = 0; i < times; i++) {
      reads.read(0, ByteBuffer.allocateDirect(PAGE));
    }
  }

  private @Nullable CompletableFuture<Void> arrival(long offset) {
    return reads.arrival(offset, PAGE);
  }

  private void makeSlow() throws IOException {
    storage.latency = Duration.ofMillis(1);
    read(3);
  }

  @Test
  void slowTransfersCountAsSlowReads() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertNull(arrival(0));
      reads.took(Duration.ofMillis(1).toNanos(), PAGE);
    }
    CompletableFuture<Void> arrival = arrival(0);
    assertNotNull(arrival);
    arrival.get(5, TimeUnit.MINUTES);
  }

  @Test
  void nothingIsWaitedForBeforeReadsAreSlow() throws IOException {
    storage.latency = Duration.ofMillis(1);
    read(2);
    assertNull(arrival(0), "two may be chance");
    read(1);
    Objects.requireNonNull(arrival(0)).join();
  }

  @Test
  void slowReadsRunAtOnce() throws IOException {
    makeSlow();
    storage.together = new CountDownLatch(8);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(Objects.requireNonNull(arrival((long) i * PAGE)));
    }
    all.forEach(CompletableFuture::join);
    assertEquals(0, storage.together.getCount());
  }

  @Test
  void readsAreNotWaitedForWhenStorageHasBecomeFast() throws IOException {
    storage.latency = Duration.ofMillis(1);
    read(MANY);
    storage.latency = Duration.ZERO;
    read(MANY);
    assertNull(arrival(0));
  }

  @Test
  void tellsAFailure() throws IOException {
    makeSlow();
    storage.broken = true;
    CompletableFuture<Void> arrival = Objects.requireNonNull(arrival(0));
    assertThrows(CompletionException.class, arrival::join);
  }
}

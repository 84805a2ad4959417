package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrivingMediumTest {
  private static final int BLOCK = 4096;
  private static final long FAR = 1 << 20;
  private static final String IDENTITY = "sha256:0123";

  @TempDir Path directory;
  private DiskFiles files;

  private record Wanted(long offset, long length) {}

  private final List<Wanted> wanted = new ArrayList<>();

  @BeforeEach
  void name() {
    files = DiskFiles.in(directory, "disk");
  }

  private ArrivingMedium arriving(long length) throws IOException {
    return ArrivingMedium.create(
        files, length, IDENTITY, (offset, count) -> wanted.add(new Wanted(offset, count)), FAR);
  }

  private static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(Medium medium, long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    medium.read(offset, ByteBuffer.wrap(bytes));
    return bytes;
  }

  private static CompletableFuture<Void> waiting(Medium medium, long offset, long length) {
    CompletableFuture<Void> arrival = medium.arrival(offset, length, Access.READ);
    assertNotNull(arrival);
    return arrival;
  }

  private static String failure(CompletableFuture<Void> future) {
    assertTrue(future.isDone());
    return String.valueOf(future.exceptionNow().getMessage());
  }

  @Test
  void itsFileHasWhatHasArrived() throws IOException {
    byte[] disk = bytes(3 * BLOCK, 1);
    try (ArrivingMedium medium = arriving(disk.length)) {
      assertNull(medium.unchangingFile(0, BLOCK));
      medium.arrive(0, ByteBuffer.wrap(disk, 0, BLOCK + 100));
      FileChannel file = medium.unchangingFile(0, BLOCK);
      assertNotNull(file);
      ByteBuffer found = ByteBuffer.allocate(BLOCK);
      assertEquals(BLOCK, file.read(found, 0));
      assertArrayEquals(Arrays.copyOf(disk, BLOCK), found.array());
      assertNull(medium.unchangingFile(0, BLOCK + 100));
      medium.discredit(new IOException("forged"));
      assertNull(medium.unchangingFile(0, BLOCK));
    }
  }

  @Test
  void readsBlocksAsSoonAsTheyAreComplete() throws IOException {
    byte[] disk = bytes(3 * BLOCK, 1);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arrive(0, ByteBuffer.wrap(disk, 0, BLOCK + 100));
      assertNull(medium.arrival(0, BLOCK, Access.READ));
      assertArrayEquals(Arrays.copyOf(disk, BLOCK), read(medium, 0, BLOCK));
      assertThrows(NotArrivedException.class, () -> read(medium, BLOCK - 1, 2));
      CompletableFuture<Void> second = waiting(medium, BLOCK, 1);
      medium.arrive(BLOCK + 100, ByteBuffer.wrap(disk, BLOCK + 100, BLOCK - 101));
      assertFalse(second.isDone());
      medium.arrive(2 * BLOCK - 1, ByteBuffer.wrap(disk, 2 * BLOCK - 1, 1));
      assertTrue(second.isDone());
      assertArrayEquals(Arrays.copyOf(disk, 2 * BLOCK), read(medium, 0, 2 * BLOCK));
      assertEquals(2 * BLOCK, medium.presentBytes());
    }
  }

  @Test
  void theLastBlockMayBeCutShort() throws IOException {
    byte[] disk = bytes(BLOCK + 512, 2);
    try (ArrivingMedium medium = arriving(disk.length)) {
      CompletableFuture<Void> last = waiting(medium, BLOCK, 512);
      medium.arrive(BLOCK + 1, ByteBuffer.wrap(disk, BLOCK + 1, 511));
      assertFalse(last.isDone());
      medium.arrive(BLOCK, ByteBuffer.wrap(disk, BLOCK, 1));
      assertTrue(last.isDone());
      assertArrayEquals(Arrays.copyOfRange(disk, BLOCK, BLOCK + 512), read(medium, BLOCK, 512));
      assertFalse(medium.isReadable(0, 512));
      assertTrue(medium.isReadable(BLOCK, 512));
      assertThrows(IndexOutOfBoundsException.class, () -> read(medium, BLOCK, 513));
    }
  }

  /// Delivers the pieces of a disk in random order. After each piece, a wait is complete if and
  /// only if its range is present.
  @Test
  void waitersCompleteExactlyWhenTheirRangeIsHere() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      int length = 512 * (1 + random.nextInt(800));
      byte[] disk = bytes(length, seed + round);
      try (ArrivingMedium medium = arriving(length)) {
        List<int[]> ranges = new ArrayList<>();
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
          int from = random.nextInt(length);
          int count = 1 + random.nextInt(Math.min(length - from, 1 + random.nextInt(40_000)));
          ranges.add(new int[] {from, count});
          futures.add(waiting(medium, from, count));
        }
        BitSet here = new BitSet(length);
        for (int[] piece : pieces(random, length)) {
          bring(medium, disk, piece, random);
          here.set(piece[0], piece[1]);
          for (int i = 0; i < futures.size(); i++) {
            int[] range = ranges.get(i);
            int from = range[0] / BLOCK * BLOCK;
            int to = Math.min(length, Math.ceilDiv(range[0] + range[1], BLOCK) * BLOCK);
            boolean whole = here.nextClearBit(from) >= to;
            assertEquals(
                whole, futures.get(i).isDone(), "seed %d, round %d".formatted(seed, round));
            assertEquals(
                whole, medium.arrival(range[0], range[1], Access.READ) == null, "seed " + seed);
          }
        }
        assertEquals(0, medium.waiting(), "seed " + seed);
        assertEquals(length, medium.presentBytes(), "seed " + seed);
        assertArrayEquals(disk, read(medium, 0, length), "seed " + seed);
        medium.complete();
        assertArrayEquals(disk, read(medium, 0, length), "seed " + seed);
      }
    }
  }

  private static List<int[]> pieces(Random random, int length) {
    List<int[]> pieces = new ArrayList<>();
    int at = 0;
    while (at < length) {
      int end = Math.min(length, at + 1 + random.nextInt(random.nextBoolean() ? 700 : 30_000));
      pieces.add(new int[] {at, end});
      at = end;
    }
    Collections.shuffle(pieces, random);
    return pieces;
  }

  private static void bring(ArrivingMedium medium, byte[] disk, int[] piece, Random random)
      throws IOException {
    int length = piece[1] - piece[0];
    if (random.nextInt(4) == 0) {
      Arrays.fill(disk, piece[0], piece[1], (byte) 0);
      medium.arriveZeros(piece[0], length);
    } else {
      ByteBuffer data = ByteBuffer.wrap(disk, piece[0], length);
      medium.arrive(piece[0], data);
      assertFalse(data.hasRemaining());
    }
  }

  @Test
  void missingRangesReadAsZerosAfterCompletion() throws IOException {
    byte[] disk = new byte[10 * BLOCK];
    System.arraycopy(bytes(5000, 3), 0, disk, BLOCK, 5000);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arrive(BLOCK, ByteBuffer.wrap(disk, BLOCK, 5000));
      CompletableFuture<Void> rest = waiting(medium, 0, disk.length);
      assertFalse(medium.isComplete());
      medium.complete();
      assertTrue(rest.isDone());
      assertTrue(medium.isComplete());
      assertArrayEquals(disk, read(medium, 0, disk.length));
      assertEquals(disk.length, medium.presentBytes());
      assertThrows(IllegalStateException.class, () -> medium.discredit(new IOException("late")));
      medium.fail(new IOException("late"));
      medium.arriveAhead(0, ByteBuffer.allocate(BLOCK));
      assertThrows(IllegalStateException.class, () -> medium.arriveZeros(0, 1));
      assertArrayEquals(disk, read(medium, 0, disk.length));
    }
  }

  @Test
  void aCompleteDiskIsFoundAgainByItsIdentity() throws IOException {
    byte[] disk = bytes(3 * BLOCK + 512, 4);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arrive(0, ByteBuffer.wrap(disk));
      assertTrue(ArrivingMedium.openComplete(files, IDENTITY).isEmpty());
      medium.complete();
    }
    assertTrue(ArrivingMedium.openComplete(files, "sha256:other").isEmpty());
    try (Medium again = ArrivingMedium.openComplete(files, IDENTITY).orElseThrow()) {
      assertFalse(again.writable());
      assertArrayEquals(disk, read(again, 0, disk.length));
    }
    try (ArrivingMedium anew = arriving(disk.length)) {
      assertTrue(ArrivingMedium.openComplete(files, IDENTITY).isEmpty());
      assertEquals(0, anew.presentBytes());
      assertThrows(NotArrivedException.class, () -> read(anew, 0, 1));
    }
    Files.delete(files.map());
    assertTrue(ArrivingMedium.openComplete(files, IDENTITY).isEmpty());
  }

  @Test
  void aPartialDiskIsFoundAgainAndComparedWithTheStream() throws IOException {
    byte[] disk = bytes(8 * BLOCK, 13);
    for (boolean same : new boolean[] {true, false}) {
      try (ArrivingMedium medium = arriving(disk.length)) {
        medium.arrive(0, ByteBuffer.wrap(disk, 0, 5 * BLOCK + 100));
      }
      assertTrue(
          ArrivingMedium.openPartial(files, disk.length, "other", FarReads.NONE, FAR).isEmpty());
      assertTrue(ArrivingMedium.openPartial(files, BLOCK, IDENTITY, FarReads.NONE, FAR).isEmpty());
      try (ArrivingMedium again =
          ArrivingMedium.openPartial(files, disk.length, IDENTITY, FarReads.NONE, FAR)
              .orElseThrow()) {
        assertEquals(5 * BLOCK, again.presentBytes());
        assertArrayEquals(Arrays.copyOf(disk, 5 * BLOCK), read(again, 0, 5 * BLOCK));
        assertThrows(NotArrivedException.class, () -> read(again, 5 * BLOCK, 1));
        byte[] stream = disk.clone();
        Arrays.fill(stream, 5 * BLOCK, 6 * BLOCK, (byte) 0);
        if (same) {
          again.arrive(0, ByteBuffer.wrap(stream));
          again.complete();
          assertArrayEquals(stream, read(again, 0, stream.length));
        } else {
          stream[BLOCK] ^= 1;
          assertThrows(IOException.class, () -> again.arrive(0, ByteBuffer.wrap(stream)));
        }
      }
      assertEquals(same, ArrivingMedium.openComplete(files, IDENTITY).isPresent());
      assertTrue(
          same
              || ArrivingMedium.openPartial(files, disk.length, IDENTITY, FarReads.NONE, FAR)
                  .isPresent());
    }
  }

  @Test
  void aMapWithoutItsDiskIsClosed() throws IOException {
    try (ArrivingMedium medium = arriving(BLOCK)) {
      medium.arriveZeros(0, 512);
    }
    Files.delete(files.disk());
    assertTrue(ArrivingMedium.openPartial(files, BLOCK, IDENTITY, FarReads.NONE, FAR).isEmpty());
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      assertEquals(List.of(), descriptors.filter(this::leadsToTheMap).toList());
    }
  }

  private boolean leadsToTheMap(Path descriptor) {
    try {
      return Files.isSameFile(descriptor, files.map());
    } catch (IOException _) {
      return false; // another thread closed this descriptor
    }
  }

  @Test
  void aFailureEndsTheWaitingAndKeepsArrivedData() throws IOException {
    byte[] disk = bytes(4 * BLOCK, 5);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arrive(0, ByteBuffer.wrap(disk, 0, 2 * BLOCK));
      CompletableFuture<Void> before = waiting(medium, BLOCK, 2 * BLOCK);
      medium.fail(new IOException("the registry is gone"));
      assertEquals("the registry is gone", failure(before));
      assertTrue(failure(waiting(medium, 2 * BLOCK, 1)).contains("the registry is gone"));
      assertArrayEquals(Arrays.copyOf(disk, 2 * BLOCK), read(medium, 0, 2 * BLOCK));
      IOException missing = assertThrows(IOException.class, () -> read(medium, 3 * BLOCK, 1));
      assertTrue(String.valueOf(missing.getMessage()).contains("the registry is gone"));
      assertThrows(IOException.class, () -> medium.arriveZeros(3 * BLOCK, 1));
      assertEquals(0, medium.waiting());
    }
  }

  @Test
  void aNewPullServesWaitingReaders() throws IOException {
    byte[] disk = bytes(8 * BLOCK, 6);
    Arrays.fill(disk, 5 * BLOCK, 6 * BLOCK, (byte) 0);
    byte[] torn = disk.clone();
    torn[5 * BLOCK + 17] = 1;
    try (ArrivingMedium medium = arriving(disk.length)) {
      CompletableFuture<Void> waiting = waiting(medium, 6 * BLOCK, BLOCK);
      // Only the first 18 bytes of block 5 arrive. The stream after the restart has a different
      // value in the last of these bytes.
      medium.arrive(0, ByteBuffer.wrap(torn, 0, 5 * BLOCK + 18));
      medium.restart();
      assertFalse(waiting.isDone());
      assertArrayEquals(Arrays.copyOf(disk, 5 * BLOCK), read(medium, 0, 5 * BLOCK));
      medium.fail(new IOException("cut again"));
      assertTrue(waiting.isCompletedExceptionally());
      medium.restart();
      CompletableFuture<Void> again = waiting(medium, 5 * BLOCK, 2 * BLOCK);
      medium.arrive(0, ByteBuffer.wrap(disk, 0, 5 * BLOCK));
      medium.arriveZeros(5 * BLOCK, BLOCK);
      medium.arrive(6 * BLOCK, ByteBuffer.wrap(disk, 6 * BLOCK, 2 * BLOCK));
      assertTrue(again.isDone());
      medium.complete();
      assertArrayEquals(disk, read(medium, 0, disk.length));
    }
  }

  @Test
  void aNewPullThatDiffersDiscreditsTheDisk() throws IOException {
    byte[] disk = bytes(4 * BLOCK, 7);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arrive(0, ByteBuffer.wrap(disk, 0, 2 * BLOCK));
      medium.restart();
      disk[BLOCK + 5] ^= 1;
      CompletableFuture<Void> waiting = waiting(medium, 3 * BLOCK, 1);
      IOException refused =
          assertThrows(IOException.class, () -> medium.arrive(0, ByteBuffer.wrap(disk)));
      assertTrue(String.valueOf(refused.getMessage()).contains("from 4101 "), refused.getMessage());
      assertTrue(waiting.isCompletedExceptionally());
      assertThrows(IOException.class, () -> read(medium, 0, 1));
      assertFalse(medium.isReadable(0, 1));
      assertTrue(waiting(medium, 0, 1).isCompletedExceptionally());
      assertThrows(IOException.class, medium::restart);
    }
  }

  @Test
  void refusesANewPullWithoutThePresentData() throws IOException {
    byte[] disk = bytes(2 * BLOCK, 8);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arrive(0, ByteBuffer.wrap(disk));
      medium.restart();
      medium.arrive(0, ByteBuffer.wrap(disk, 0, BLOCK));
      assertThrows(IOException.class, medium::complete);
      assertFalse(medium.isComplete());
      assertThrows(IOException.class, () -> read(medium, 0, 1));
    }
    assertTrue(ArrivingMedium.openComplete(files, IDENTITY).isEmpty());
  }

  @Test
  void bytesAheadAreReadAtOnceAndComparedLater() throws IOException {
    byte[] disk = bytes(6 * BLOCK + 512, 9);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arrive(0, ByteBuffer.wrap(disk, 0, BLOCK + 7));
      CompletableFuture<Void> waiting = waiting(medium, 3 * BLOCK, 2 * BLOCK);
      // The medium uses none of these bytes: block 0 is present, block 1 has bytes of the stream,
      // and block 2 is incomplete.
      medium.arriveAhead(0, ByteBuffer.wrap(disk, 0, 2 * BLOCK + 100));
      assertThrows(NotArrivedException.class, () -> read(medium, BLOCK, 1));
      medium.arriveAhead(
          2 * BLOCK + 9, ByteBuffer.wrap(disk, 2 * BLOCK + 9, disk.length - 2 * BLOCK - 9));
      assertTrue(waiting.isDone());
      assertThrows(NotArrivedException.class, () -> read(medium, 2 * BLOCK, 1));
      byte[] tail = Arrays.copyOfRange(disk, 3 * BLOCK, disk.length);
      assertArrayEquals(tail, read(medium, 3 * BLOCK, tail.length));
      medium.arrive(BLOCK + 7, ByteBuffer.wrap(disk, BLOCK + 7, 3 * BLOCK));
      medium.arrive(4 * BLOCK + 7, ByteBuffer.wrap(disk, 4 * BLOCK + 7, tail.length - BLOCK - 7));
      medium.complete();
      assertArrayEquals(disk, read(medium, 0, disk.length));
    }
  }

  @Test
  void bytesAheadThatTheStreamDoesNotBringDiscreditTheDisk() throws IOException {
    byte[] disk = bytes(4 * BLOCK, 10);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arriveAhead(2 * BLOCK, ByteBuffer.wrap(disk, 2 * BLOCK, BLOCK));
      medium.arrive(0, ByteBuffer.wrap(disk, 0, 2 * BLOCK));
      assertThrows(IOException.class, () -> medium.arriveZeros(2 * BLOCK, 2 * BLOCK));
      assertThrows(IOException.class, () -> read(medium, 0, 1));
    }
  }

  @Test
  void reportsReadsFarAheadOfThePull() throws IOException {
    int length = 4 << 20;
    try (ArrivingMedium medium = arriving(length)) {
      var _ = waiting(medium, FAR, BLOCK);
      assertEquals(List.of(), wanted);
      var _ = waiting(medium, FAR + BLOCK + 5, BLOCK);
      assertEquals(List.of(new Wanted(FAR + BLOCK, 2 * BLOCK)), wanted);
      medium.arriveZeros(0, 2 << 20);
      var _ = waiting(medium, FAR * 3, 5);
      assertEquals(1, wanted.size());
      var _ = waiting(medium, length - 1, 1);
      assertEquals(new Wanted(length - BLOCK, BLOCK), wanted.getLast());
    }
  }

  @Test
  void forgetsClientsThatGiveUp() throws IOException {
    try (ArrivingMedium medium = arriving(1 << 20)) {
      CompletableFuture<Void> one = waiting(medium, 0, 1);
      CompletableFuture<Void> other = waiting(medium, 0, 1);
      assertEquals(2, medium.waiting());
      assertTrue(one.cancel(false));
      assertEquals(1, medium.waiting());
      medium.arriveZeros(0, BLOCK);
      assertTrue(other.isDone());
      assertEquals(0, medium.waiting());
    }
  }

  @Test
  void missingEntriesCountAsMapped() throws IOException {
    byte[] disk = bytes(64 * BLOCK, 11);
    try (ArrivingMedium medium = arriving(disk.length)) {
      medium.arriveZeros(16L * BLOCK, 16L * BLOCK);
      assertEquals(new Medium.Extent(16 * BLOCK - 512, true), medium.extent(512));
      assertEquals(new Medium.Extent(16 * BLOCK, false), medium.extent(16 * BLOCK));
      assertEquals(new Medium.Extent(32 * BLOCK, true), medium.extent(32 * BLOCK));
      medium.arrive(0, ByteBuffer.wrap(disk, 0, 16 * BLOCK));
      assertTrue(medium.extent(0).mapped());
      medium.complete();
      assertEquals(new Medium.Extent(48 * BLOCK, false), medium.extent(16 * BLOCK));
    }
  }

  @Test
  void nothingIsWrittenThroughIt() throws IOException {
    try (ArrivingMedium medium = arriving(BLOCK)) {
      assertFalse(medium.writable());
      assertThrows(IOException.class, () -> medium.write(0, ByteBuffer.allocate(1)));
      assertThrows(IOException.class, () -> medium.zero(0, 1));
      assertThrows(IOException.class, () -> medium.deallocate(0, 1));
    }
  }

  @Test
  void closingEndsTheWaiting() throws IOException {
    ArrivingMedium medium = arriving(BLOCK);
    CompletableFuture<Void> waiting = waiting(medium, 0, 1);
    medium.close();
    assertEquals("The disk was closed", failure(waiting));
    assertThrows(IOException.class, () -> medium.arriveZeros(0, 1));
    assertTrue(waiting(medium, 0, 1).isCompletedExceptionally());
  }

  /// Delivers more partial blocks than [PartialBlocks] can track. The untracked blocks become
  /// present when the disk is complete.
  @Test
  void aFragmentedDiskBecomesComplete() throws IOException {
    int blocks = PartialBlocks.MAX + 10;
    byte[] disk = bytes(blocks * BLOCK, 12);
    try (ArrivingMedium medium = arriving(disk.length)) {
      for (int block = 0; block < blocks; block++) {
        medium.arrive((long) block * BLOCK, ByteBuffer.wrap(disk, block * BLOCK, 2048));
      }
      medium.arriveAhead((blocks - 1L) * BLOCK, ByteBuffer.allocate(BLOCK));
      for (int block = 0; block < blocks; block++) {
        int half = block * BLOCK + 2048;
        medium.arrive(half, ByteBuffer.wrap(disk, half, 2048));
      }
      assertNull(medium.arrival(0, (long) PartialBlocks.MAX * BLOCK, Access.READ));
      CompletableFuture<Void> forgotten = waiting(medium, (blocks - 1L) * BLOCK, BLOCK);
      medium.complete();
      assertTrue(forgotten.isDone());
      assertArrayEquals(disk, read(medium, 0, disk.length));
    }
  }

  /// Delivers present data again, in more partial blocks than [PartialBlocks] can track. The second
  /// round omits one byte.
  @Test
  void aFragmentedStreamIsComparedWithPresentData() throws IOException {
    int blocks = PartialBlocks.MAX + 1;
    byte[] disk = bytes(blocks * BLOCK, 14);
    disk[disk.length - 1] = 1;
    for (int missing : new int[] {0, 1}) {
      try (ArrivingMedium medium = arriving(disk.length)) {
        for (int at = 0; at < disk.length; at += BLOCK) {
          medium.arrive(at, ByteBuffer.wrap(disk, at, BLOCK));
        }
        medium.restart();
        for (int at = 0; at < disk.length; at += BLOCK) {
          medium.arrive(at, ByteBuffer.wrap(disk, at, 512));
        }
        int last = disk.length - BLOCK + 512;
        medium.arrive(last, ByteBuffer.wrap(disk, last, BLOCK - 512 - missing));
        for (int at = 512; at < last; at += BLOCK) {
          medium.arrive(at, ByteBuffer.wrap(disk, at, BLOCK - 512));
        }
        if (missing == 0) {
          medium.complete();
          assertArrayEquals(disk, read(medium, 0, disk.length));
        } else {
          assertThrows(IOException.class, medium::complete);
        }
      }
    }
  }
}

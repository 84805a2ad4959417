package dev.pvcpopulators.registry.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.it.TarWriter;
import dev.pvcpopulators.registry.Descriptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests that layers that were damaged in transit are distinguished from layers that were already
/// damaged when they were pushed.
@Timeout(1200)
class DamagedLayerTest {
  /// The length of the disk in bytes, larger than all buffers between the blob and the reader.
  private static final int LENGTH = 24 << 20;

  private static final DiskPath DISK = DiskPath.parse("/disk/*");

  private final FakeStore store = new FakeStore();

  private static byte[] layer() throws IOException {
    byte[] data = new byte[LENGTH];
    new Random(1).nextBytes(data);
    return new TarWriter().file("disk/a.raw", data).bytes();
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(content);
    }
    return packed.toByteArray();
  }

  private FoundDisk find(Descriptor layer) throws IOException {
    return DiskSearch.find(FakeStore.image(layer), store, DISK, SearchListener.NONE);
  }

  /// A byte at the beginning of the layer is damaged, so the search fails.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whileTheDiskIsSearched(boolean compressed) throws IOException {
    byte[] blob = compressed ? gzip(layer()) : layer();
    Descriptor sound = store.add(FakeStore.TAR, blob);
    byte[] damaged = blob.clone();
    damaged[compressed ? 10 : 148] ^= 0x7;
    Descriptor pushed = store.add(FakeStore.TAR, damaged);
    assertThrows(MalformedImageException.class, () -> find(pushed));
    store.replace(sound, damaged);
    DigestMismatchException e = assertThrows(DigestMismatchException.class, () -> find(sound));
    assertInstanceOf(MalformedImageException.class, e.getCause());
  }

  /// The search finds the disk. Then the test reports that the decoder of the disk has failed.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whileTheDiskIsDecoded(boolean compressed) throws IOException {
    byte[] tar = layer();
    byte[] other = tar.clone();
    other[other.length / 2] ^= 1;
    Descriptor sound = store.add(FakeStore.TAR, compressed ? gzip(tar) : tar);
    MalformedImageException failure = new MalformedImageException("header", 0, "made up");
    try (FoundDisk disk = find(sound)) {
      InputStream bytes = disk.openUntilJudged();
      assertTrue(bytes.read() >= 0);
      bytes.close();
      assertSame(failure, disk.judged(failure));
    }
    store.replace(sound, compressed ? gzip(other) : other);
    try (FoundDisk disk = find(sound)) {
      InputStream bytes = disk.openUntilJudged();
      assertTrue(bytes.read() >= 0);
      bytes.close();
      IOException judged = disk.judged(failure);
      assertInstanceOf(DigestMismatchException.class, judged);
      assertSame(failure, judged.getCause());
      assertThrows(IOException.class, bytes::readAllBytes);
    }
  }

  /// The store fails while the rest of the layer is read, so the digest cannot be compared.
  @Test
  void theFailureStaysWhereTheRestCannotBeRead() throws IOException {
    byte[] tar = layer();
    Descriptor layer =
        store.add(
            FakeStore.TAR,
            tar.length,
            () ->
                new InputStream() {
                  private int position;

                  @Override
                  public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                  }

                  @Override
                  public int read(byte[] target, int offset, int length) throws IOException {
                    if (position >= tar.length / 2) {
                      throw new IOException("The connection was lost");
                    }
                    int count = Math.min(length, tar.length / 2 - position);
                    System.arraycopy(tar, position, target, offset, count);
                    position += count;
                    return count;
                  }
                });
    MalformedImageException failure = new MalformedImageException("header", 0, "made up");
    try (FoundDisk disk = find(layer);
        InputStream bytes = disk.openUntilJudged()) {
      assertTrue(bytes.read() >= 0);
      assertSame(failure, disk.judged(failure));
      assertEquals("The connection was lost", failure.getSuppressed()[0].getMessage());
    }
  }
}

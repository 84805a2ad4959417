package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A stream of the uploaded bytes that verifies the expected digests. The stream hashes the bytes
/// on the reader's thread.
///
/// The read that reaches the end of a part throws an [UploadEndedException] if a digest of the part
/// differs from the expected digest. [#verifyWhole] checks the digests of the whole upload after
/// the end of the stream.
final class VerifiedBody extends BulkInputStream {
  /// A part of the upload with expected digests.
  private static final class Part {
    private final long begin;
    private final long end;
    private final List<ExpectedDigest> expected;

    /// The algorithms of the expected digests. Each algorithm occurs once, even if the client has
    /// sent two digests of this algorithm.
    private final Set<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);

    private volatile boolean cut;

    Part(long begin, long end, List<ExpectedDigest> expected) {
      this.begin = begin;
      this.end = end;
      this.expected = List.copyOf(expected);
      this.expected.forEach(promise -> algorithms.add(promise.algorithm()));
    }
  }

  private final UploadBody body;
  private final List<ExpectedDigest> expected = new CopyOnWriteArrayList<>();
  private final LongConsumer progress;
  private final Map<Algorithm, MessageDigest> whole = new EnumMap<>(Algorithm.class);
  private final ConcurrentLinkedQueue<Part> parts = new ConcurrentLinkedQueue<>();
  private final Map<Algorithm, MessageDigest> part = new EnumMap<>(Algorithm.class);
  private volatile @Nullable Part lastPart;
  private long position;

  /// Creates a stream over an upload's body.
  ///
  /// @param expected expected digests of the whole upload
  /// @param always digest algorithms to compute even if the client has sent no expected digest
  /// @param progress called with the number of bytes of each read
  VerifiedBody(
      UploadBody body,
      List<ExpectedDigest> expected,
      Set<Algorithm> always,
      LongConsumer progress) {
    this.body = body;
    this.expected.addAll(expected);
    this.progress = progress;
    always.forEach(algorithm -> whole.put(algorithm, digest(algorithm)));
    expected.forEach(promise -> whole.computeIfAbsent(promise.algorithm(), VerifiedBody::digest));
  }

  /// Sets the expected digests of a part. Must be called before the first byte of the part is
  /// appended.
  ///
  /// @param begin offset of the first byte of the part
  /// @param end offset of the first byte after the part
  void expectPart(long begin, long end, List<ExpectedDigest> promised) {
    Part part = new Part(begin, end, promised);
    lastPart = part;
    parts.add(part);
  }

  /// Records that the client's connection ended at the offset `end`. If the part of the last
  /// [#expectPart] is incomplete, its digests are not checked. Must be called before another byte
  /// is appended.
  void partCut(long end) {
    Part part = lastPart;
    if (part != null && end < part.end) {
      part.cut = true;
    }
  }

  /// Adds digests of the whole upload. A request that continues the upload states these digests.
  ///
  /// @return true if the digests were added; false if no digest was added, because a digest
  ///   contradicts an earlier digest, or has an algorithm that this stream does not compute
  boolean expectWhole(List<ExpectedDigest> promised) {
    for (ExpectedDigest promise : promised) {
      boolean contradicted =
          expected.stream()
              .anyMatch(
                  known -> known.algorithm() == promise.algorithm() && !known.equals(promise));
      if (contradicted || !whole.containsKey(promise.algorithm())) {
        return false;
      }
    }
    promised.stream().filter(promise -> !expected.contains(promise)).forEach(expected::add);
    return true;
  }

  /// Returns the number of bytes read so far. Until the reading thread has ended, only the reading
  /// thread may call this method.
  long position() {
    return position;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = body.read(target, offset, length);
    if (count > 0) {
      passed(target, offset, count);
    }
    return count;
  }

  @Override
  public long transferTo(OutputStream out) throws IOException {
    return body.transferTo(
        new OutputStream() {
          @Override
          public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
          }

          @Override
          public void write(byte[] chunk, int offset, int length) throws IOException {
            passed(chunk, offset, length);
            out.write(chunk, offset, length);
          }
        });
  }

  private void passed(byte[] bytes, int offset, int length) throws IOException {
    whole.values().forEach(digest -> digest.update(bytes, offset, length));
    hashParts(bytes, offset, length);
    progress.accept(length);
  }

  /// Returns whether this stream computes digests of the whole upload. If so, a separate thread
  /// should read this stream, because hashing takes much time.
  boolean hashes() {
    return !whole.isEmpty();
  }

  private void hashParts(byte[] target, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      Part current = parts.peek();
      if (current == null) {
        position += length - done;
        return;
      }
      if (current.cut || position >= current.end) {
        parts.remove();
        part.clear();
        continue;
      }
      if (position < current.begin) {
        int before = (int) Math.min(length - done, current.begin - position);
        done += before;
        position += before;
        continue;
      }
      int count = (int) Math.min(length - done, current.end - position);
      for (Algorithm algorithm : current.algorithms) {
        part.computeIfAbsent(algorithm, VerifiedBody::digest).update(target, offset + done, count);
      }
      done += count;
      position += count;
      if (position == current.end) {
        verify("the part that ends at byte " + position, current.expected, part);
      }
    }
  }

  /// Compares the digests of the whole upload with the expected digests. Must be called once, after
  /// the end of the stream.
  ///
  /// @return the SHA-256 digest as `sha256:…`; empty if this digest was not computed
  /// @throws UploadEndedException if a digest differs from the expected one
  Optional<String> verifyWhole() throws IOException {
    Map<Algorithm, String> found = verify("the upload", expected, whole);
    return Optional.ofNullable(found.get(Algorithm.SHA_256)).map(hex -> "sha256:" + hex);
  }

  /// Finishes the computation of digests, compares the computed digests with the expected digests,
  /// and returns the computed digests in hexadecimal.
  private static Map<Algorithm, String> verify(
      String what, List<ExpectedDigest> expected, Map<Algorithm, MessageDigest> digests)
      throws IOException {
    Map<Algorithm, String> found = new EnumMap<>(Algorithm.class);
    digests.forEach((algorithm, digest) -> found.put(algorithm, hex(digest)));
    for (ExpectedDigest promise : expected) {
      String value = found.getOrDefault(promise.algorithm(), "nothing");
      if (!promise.hex().equals(value)) {
        throw UploadEndedException.digestMismatch(what, promise, value);
      }
    }
    return found;
  }

  private static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  static MessageDigest digest(Algorithm algorithm) {
    try {
      return MessageDigest.getInstance(algorithm.javaName());
    } catch (NoSuchAlgorithmException e) {
      // This exception cannot occur: every Java platform supports SHA-256, and the JDK also
      // supports SHA-512.
      throw new IllegalStateException(e);
    }
  }
}

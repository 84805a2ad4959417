package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import java.io.IOException;
import java.io.InputStream;
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

/// The uploaded bytes, hashed as they are read, by whichever thread reads them.
///
/// A part with a wrong digest ends the stream at once; the whole's digests are checked by
/// [#verifyWhole] after its end.
final class VerifiedBody extends InputStream {
  /// The bytes of one request that were promised digests.
  private static final class Part {
    private final long begin;
    private final long end;
    private final List<ExpectedDigest> expected;

    /// Each once, also where something is promised twice.
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

  /// @param expected what the whole has to have
  /// @param always algorithms to compute whether or not somebody expects a value
  /// @param progress told how many bytes each read gave
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

  /// Says that the bytes from `begin` to `end` were promised these digests. Called before the first
  /// of them is appended.
  ///
  /// @param end offset of the first byte after the part
  void expectPart(long begin, long end, List<ExpectedDigest> promised) {
    Part part = new Part(begin, end, promised);
    lastPart = part;
    parts.add(part);
  }

  /// Says that the connection which brought the last part brings nothing after `end`: where the
  /// part is longer, what it was promised to have cannot be checked. Called before another byte is
  /// appended.
  void partCut(long end) {
    Part part = lastPart;
    if (part != null && end < part.end) {
      part.cut = true;
    }
  }

  /// Says what a later request promised of the whole.
  ///
  /// @return false where one of the promises contradicts an earlier one, or cannot be checked any
  ///   more since nobody computed that digest from the first byte on; nothing has changed then
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

  /// Bytes read so far; for the reading thread, or after it has ended.
  long position() {
    return position;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
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

  /// True where reading costs processor time, so that it is worth a thread of its own.
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

  /// Compares the whole's digests; called once, after the end of the stream.
  ///
  /// @return `sha256:…`, or empty where nobody wanted that one
  /// @throws UploadEndedException where one differs from what was promised
  Optional<String> verifyWhole() throws IOException {
    Map<Algorithm, String> found = verify("the upload", expected, whole);
    return Optional.ofNullable(found.get(Algorithm.SHA_256)).map(hex -> "sha256:" + hex);
  }

  /// Ends the digests and gives their values.
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
      // Every Java platform has to have both (MessageDigest's own documentation names SHA-256; the
      // JDK brings SHA-512 with it).
      throw new IllegalStateException(e);
    }
  }
}

package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The uploaded bytes, hashed as they are read, by whichever thread reads them.
///
/// A part with a wrong digest ends the stream at once; the whole's digests are checked by
/// [#verifyWhole] after its end.
final class VerifiedBody extends InputStream {
  /// The bytes of one request, from the end of the one before.
  private static final class Part {
    volatile long end;
    volatile List<ExpectedDigest> expected;

    Part(long end, List<ExpectedDigest> expected) {
      this.end = end;
      this.expected = expected;
    }
  }

  private final UploadBody body;
  private final List<ExpectedDigest> expected;
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
    this.expected = List.copyOf(expected);
    this.progress = progress;
    always.forEach(algorithm -> whole.put(algorithm, digest(algorithm)));
    expected.forEach(promise -> whole.computeIfAbsent(promise.algorithm(), VerifiedBody::digest));
  }

  /// Says that the bytes up to `end`, from the end of the part before, were promised these digests.
  /// Called before the part's first byte is appended.
  ///
  /// @param end offset of the first byte after the part
  void expectPart(long end, List<ExpectedDigest> promised) {
    lastPart = new Part(end, List.copyOf(promised));
    parts.add(lastPart);
  }

  /// Says that the last part was cut at `end`: what it was promised to have cannot be checked.
  void partCut(long end) {
    Part part = lastPart;
    if (part != null) {
      part.expected = List.of();
      part.end = end;
    }
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
      whole.values().forEach(digest -> digest.update(target, offset, count));
      hashParts(target, offset, count);
      progress.accept(count);
    }
    return count;
  }

  private void hashParts(byte[] target, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      Part current = parts.peek();
      if (current == null) {
        position += length - done;
        return;
      }
      if (position >= current.end) {
        parts.remove();
        part.clear();
        continue;
      }
      int count = (int) Math.min(length - done, current.end - position);
      for (ExpectedDigest promise : current.expected) {
        part.computeIfAbsent(promise.algorithm(), VerifiedBody::digest)
            .update(target, offset + done, count);
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

  private static MessageDigest digest(Algorithm algorithm) {
    try {
      return MessageDigest.getInstance(algorithm.javaName());
    } catch (NoSuchAlgorithmException e) {
      // Every Java platform has to have both (MessageDigest's own documentation names SHA-256; the
      // JDK brings SHA-512 with it).
      throw new IllegalStateException(e);
    }
  }
}

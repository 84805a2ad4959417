package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.DigestMismatchException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A stream that computes the checksum of a file while the file is read. If a checksum is expected,
/// the stream ends without an exception only if the file has this checksum.
final class ChecksumStream extends FilterInputStream {
  private final String name;
  private final Checksum.Algorithm algorithm;
  private final Optional<Checksum> expected;
  private final LongConsumer received;
  private final Consumer<Checksum> whenVerified;
  private final MessageDigest digest;
  private boolean verified;
  private @Nullable DigestMismatchException mismatch;

  /// Wraps the stream of a file.
  ///
  /// @param name the name of the file, for messages
  /// @param expected the expected checksum; empty to accept any content
  /// @param received a function that is called with the number of bytes of each read
  /// @param whenVerified a function that is called with the computed checksum at the end of the
  ///   file; not called if this checksum differs from the expected checksum
  ChecksumStream(
      InputStream content,
      String name,
      Checksum.Algorithm algorithm,
      Optional<Checksum> expected,
      LongConsumer received,
      Consumer<Checksum> whenVerified) {
    super(content);
    this.name = name;
    this.algorithm = algorithm;
    this.expected = expected;
    this.received = received;
    this.whenVerified = whenVerified;
    digest = algorithm.newDigest();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /// Reads bytes.
  ///
  /// @throws DigestMismatchException at the end of the file, and by each later read, if the
  ///   computed checksum differs from the expected checksum
  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (mismatch != null) {
      throw mismatch;
    }
    if (verified) {
      return -1;
    }
    int count = super.read(target, offset, length);
    if (count < 0) {
      verify();
    } else {
      digest.update(target, offset, count);
      received.accept(count);
    }
    return count;
  }

  private void verify() throws DigestMismatchException {
    Checksum found = Checksum.finish(algorithm, digest);
    if (expected.isPresent() && !expected.get().equals(found)) {
      mismatch =
          new DigestMismatchException(
              "Cannot accept " + name + ": expected " + expected.get() + ", found " + found);
      throw mismatch;
    }
    verified = true;
    whenVerified.accept(found);
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}

package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.ForwardingInputStream;
import dev.pvcpopulators.http.DigestMismatchException;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A stream that counts and hashes its content. The stream ends with -1 only if the content matches
/// the descriptor.
///
/// If the reader stops before it gets -1, the content is not verified. Only one thread may read the
/// stream. Any thread may call [#close] if the underlying stream allows this.
public final class VerifiedStream extends ForwardingInputStream {
  private final Descriptor descriptor;
  private final TransferListener listener;
  private final Supplier<String> note;
  private final MessageDigest hash;

  private long position;
  private boolean verified;
  private @Nullable String mismatch;

  /// Creates a stream.
  ///
  /// @param content the content of the blob; owned by this stream from now on
  /// @param descriptor the expected digest and size
  /// @param listener receives the count of read bytes, up to the descriptor's size
  public VerifiedStream(InputStream content, Descriptor descriptor, TransferListener listener) {
    this(content, descriptor, listener, () -> "");
  }

  /// Creates a stream whose [DigestMismatchException] also states a possible reason for the
  /// mismatch.
  ///
  /// @param note the possible reason; appended to the digest in the exception's message
  public VerifiedStream(
      InputStream content,
      Descriptor descriptor,
      TransferListener listener,
      Supplier<String> note) {
    super(content);
    this.note = note;
    this.descriptor = descriptor;
    this.listener = listener;
    hash = Digest.newMessageDigest(descriptor.digest().algorithm());
  }

  /// Reads content.
  ///
  /// @throws DigestMismatchException if the read gets a byte beyond the descriptor's size, or at
  ///   the end if the content is shorter or has another digest. After a mismatch, each later call
  ///   throws such an exception, too
  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (mismatch != null) {
      throw new DigestMismatchException(mismatch);
    }
    if (length == 0) {
      return 0;
    }
    if (verified) {
      return -1;
    }
    int count = in.read(target, offset, length);
    if (count < 0) {
      verify();
      return -1;
    }
    if (count > descriptor.size() - position) {
      throw differs("more than the " + descriptor.size() + " bytes of its descriptor");
    }
    hash.update(target, offset, count);
    position += count;
    listener.received(count);
    return count;
  }

  private void verify() throws DigestMismatchException {
    if (position != descriptor.size()) {
      throw differs(position + " bytes, but its descriptor states " + descriptor.size());
    }
    Digest found = Digest.finish(descriptor.digest().algorithm(), hash);
    if (!found.equals(descriptor.digest())) {
      throw differs("content whose digest is " + found);
    }
    verified = true;
  }

  private DigestMismatchException differs(String found) {
    String message = "Cannot accept " + descriptor.digest() + note.get() + ": it has " + found;
    mismatch = message;
    return new DigestMismatchException(message);
  }
}

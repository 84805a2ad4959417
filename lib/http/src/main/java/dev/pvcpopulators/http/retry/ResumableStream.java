package dev.pvcpopulators.http.retry;

import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.ResponseBody;
import dev.pvcpopulators.http.Transfer;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A stream of content of a known size. The stream resumes after a lost connection, and verifies no
/// digest. If a response is complete ([ResponseBody#whole]), but has fewer bytes than the known
/// size, the stream does not request the content from the same server again. The comment of the
/// method [#whole] describes how excess bytes are refused.
///
/// Opens the content lazily, on the reader's thread. Each call of the opener requests the original
/// URL, not the target of an earlier redirect, because the target is often a signed URL that
/// expires soon. One thread reads the stream; any thread may call [#close].
///
/// @param <P> the type of the places: servers or mirrors that have the content
public final class ResumableStream<P> extends InputStream {
  private final String name;
  private final long end;
  private final boolean part;
  private final Opener<P> opener;
  private final Retries<P> retries;
  private final Transfer transfer;

  private @Nullable ResponseBody body;
  private String encodingNote = "";
  private long position;

  /// Makes one attempt to open the content from an offset on.
  @FunctionalInterface
  public interface Opener<P> {
    /// Requests the content.
    ///
    /// @param position offset of the first byte, less than the content's size
    ResponseBody open(P place, long position) throws IOException;
  }

  private ResumableStream(
      String name,
      long position,
      long end,
      boolean part,
      Opener<P> opener,
      Retries<P> retries,
      Transfer transfer) {
    this.name = name;
    this.position = position;
    this.end = end;
    this.part = part;
    this.opener = opener;
    this.retries = retries;
    this.transfer = transfer;
  }

  /// Returns a stream of the whole content. A server that announces no length may send more than
  /// `size` bytes. The read that finds these excess bytes, and each later read, then throws a
  /// [DigestMismatchException]. The opener must refuse a response that announces a total length
  /// other than `size`.
  ///
  /// @param name the name of the content, for messages
  /// @param size the size of the content in bytes
  /// @param transfer the transfer of the requests; closed together with this stream
  public static <P> ResumableStream<P> whole(
      String name, long size, Opener<P> opener, Retries<P> retries, Transfer transfer) {
    return new ResumableStream<>(name, 0, size, false, opener, retries, transfer);
  }

  /// Returns a stream of a part of the content. The stream never returns bytes after this part.
  ///
  /// @param offset the offset of the part's first byte in the content
  /// @param length the length of the part in bytes
  /// @param transfer the transfer of the requests; closed together with this stream
  public static <P> ResumableStream<P> part(
      String name,
      long offset,
      long length,
      Opener<P> opener,
      Retries<P> retries,
      Transfer transfer) {
    return new ResumableStream<>(
        name, offset, Math.addExact(offset, length), true, opener, retries, transfer);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    while (true) {
      transfer.check();
      requireNoExcess();
      if (complete()) {
        return -1;
      }
      try {
        int most = part ? (int) Math.min(length, end - position) : length;
        int count = open().read(target, offset, most);
        if (count > 0) {
          position += count;
          requireNoExcess();
          retries.progressed();
          return count;
        }
        ended();
      } catch (IOException e) {
        drop();
        if (position > end) {
          throw e;
        }
        if (position < end) {
          retries.failed(e);
        }
      }
    }
  }

  /// Returns the note of [ResponseBody#encodingNote] for the last response that declared a content
  /// coding; empty if no response so far declared a coding. Error messages contain the note,
  /// because a content coding may be the reason why content of the right size has a wrong digest.
  public String encodingNote() {
    return encodingNote;
  }

  /// Returns whether all bytes have arrived and no further read is necessary to detect excess
  /// bytes.
  private boolean complete() {
    return position >= end && (part || body == null || body.measured());
  }

  private ResponseBody open() throws IOException {
    ResponseBody open = body;
    if (open == null) {
      open = opener.open(retries.current(), position);
      body = open;
      if (!open.encodingNote().isEmpty()) {
        encodingNote = open.encodingNote();
      }
    }
    return open;
  }

  /// Refuses excess bytes. The message contains the note of [#encodingNote], because a content
  /// coding may explain the excess bytes.
  private void requireNoExcess() throws DigestMismatchException {
    if (position > end) {
      throw new DigestMismatchException(
          "Cannot accept %s%s from %s: it has more than %s bytes"
              .formatted(name, encodingNote, retries.current(), end));
    }
  }

  /// Handles the end of a body, which may come before the end of the content.
  private void ended() throws IOException {
    boolean whole = body != null && body.whole();
    drop();
    if (position >= end) {
      return;
    }
    String found = position + " of " + end + " bytes";
    if (whole) {
      throw new DigestMismatchException(
          "Cannot accept %s%s from %s: it ends after %s"
              .formatted(name, encodingNote, retries.current(), found));
    }
    throw new TransientException("The connection ended after " + found);
  }

  private void drop() {
    if (body != null) {
      body.close();
      body = null;
    }
  }

  @Override
  public void close() {
    transfer.close();
  }
}

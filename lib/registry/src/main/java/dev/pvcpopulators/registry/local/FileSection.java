package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.VerifiedStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.Objects;

/// A range of an open file, read sequentially.
///
/// Each section has its own position, so several sections can share a channel. A section is read as
/// a whole or in part. If a section is read as a whole, and the file ends before the section does,
/// reading ends early without an exception; the stream of [#verified] detects the missing bytes. If
/// a part is read, and the file ends before the part does, a read throws a
/// [SourceUnavailableException].
final class FileSection extends BulkInputStream {
  // For each thread, the JDK keeps a direct buffer whose length is the length of the thread's
  // longest read. Therefore the length of a read is limited.
  private static final int LONGEST_READ = 256 << 10;

  private final FileChannel channel;
  private final long length;
  private final Closeable whenClosed;
  private long position;
  private long remaining;
  private boolean whole = true;
  private volatile boolean closed;

  /// Creates a section.
  ///
  /// @param offset the offset of the section's first byte in the file
  /// @param whenClosed called when the section is closed
  FileSection(FileChannel channel, long offset, long length, Closeable whenClosed) {
    this.channel = channel;
    this.length = length;
    this.whenClosed = whenClosed;
    position = offset;
    remaining = length;
  }

  /// Returns the length of the whole section in bytes.
  long length() {
    return length;
  }

  /// Returns a part of this section. Reading the part throws an exception if the file ends before
  /// the part does. No byte of this section may have been read before the call.
  ///
  /// @param blob the expected blob; only the blob's size is checked
  /// @param offset bytes from the beginning of this section
  /// @return a stream that owns the section
  /// @throws IllegalArgumentException if the part is empty, is longer than
  ///   [RegistryLimits#RANGE_LENGTH], or is not within the blob; the method first closes this
  ///   section
  /// @throws DigestMismatchException if the blob's size is not the length of this section; the
  ///   method first closes this section
  InputStream range(Descriptor blob, long offset, long rangeLength) throws IOException {
    try {
      RegistryLimits.requireRange(blob, offset, rangeLength);
      return part(blob, offset, rangeLength);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /// Returns the part from an offset to the end of the blob. This method differs from [#range] in
  /// two points: the length of the part is not limited, and an invalid offset causes a different
  /// exception.
  ///
  /// @throws IndexOutOfBoundsException if the offset is negative, or not below the blob's size; the
  ///   method first closes this section
  InputStream rest(Descriptor blob, long offset) throws IOException {
    try {
      return part(blob, offset, blob.size() - Objects.checkIndex(offset, blob.size()));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private InputStream part(Descriptor blob, long offset, long rangeLength) throws IOException {
    requireLength(blob);
    position += offset;
    remaining = rangeLength;
    whole = false;
    return this;
  }

  /// Returns this section if it is short enough to be read as a whole.
  ///
  /// @param structure the name of the document, for the message
  /// @throws MalformedImageException if this section is longer than
  ///   [RegistryLimits#MANIFEST_LENGTH]
  FileSection asDocument(String structure) throws MalformedImageException {
    if (length > RegistryLimits.MANIFEST_LENGTH) {
      throw new MalformedImageException(
          structure,
          -1,
          "expected at most " + RegistryLimits.MANIFEST_LENGTH + " bytes, found " + length);
    }
    return this;
  }

  /// Returns the section's content as a stream that ends with -1 only if the content matches a
  /// descriptor.
  ///
  /// @return a stream that owns the section
  /// @throws DigestMismatchException if the descriptor's size is not the length of this section;
  ///   the method first closes this section
  InputStream verified(Descriptor descriptor, TransferListener listener) throws IOException {
    requireLength(descriptor);
    return new VerifiedStream(this, descriptor, listener);
  }

  /// Closes this section and throws an exception if its length is not the descriptor's size.
  private void requireLength(Descriptor descriptor) throws IOException {
    if (length != descriptor.size()) {
      close();
      throw new DigestMismatchException(
          "Cannot accept %s: it has %s bytes, but its descriptor states %s"
              .formatted(descriptor.digest(), length, descriptor.size()));
    }
  }

  @Override
  public int read(byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (closed) {
      throw new ClosedChannelException();
    }
    if (count == 0) {
      return 0;
    }
    if (remaining == 0) {
      return -1;
    }
    int wanted = (int) Math.min(Math.min(count, LONGEST_READ), remaining);
    int read = channel.read(ByteBuffer.wrap(target, offset, wanted), position);
    if (read > 0) {
      position += read;
      remaining -= read;
    } else if (!whole) {
      throw new SourceUnavailableException("The file ends before byte " + position);
    }
    return read;
  }

  @Override
  public int available() {
    return (int) Math.min(remaining, Integer.MAX_VALUE);
  }

  @Override
  public void close() throws IOException {
    closed = true;
    whenClosed.close();
  }
}

package dev.pvcpopulators.iscsitarget.medium;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The storage of a logical unit: [#length] bytes that can be accessed by their offset.
/// Thread-safe; a caller that needs two calls to be one atomic action must use its own lock.
///
/// **No method waits for missing data.** A method that needs missing data fails with
/// [NotArrivedException], or with another [IOException] if the data will never arrive. [#arrival]
/// returns a future. When this future completes, the caller can continue; until then, the caller
/// needs no thread. So a thousand waiting reads occupy no thread. A thread in one of these methods
/// must not be interrupted, because an interrupt closes the medium's
/// [java.nio.channels.FileChannel] for all threads.
public interface Medium extends Closeable {
  /// Returns the length in bytes, a multiple of 512; it never changes.
  long length();

  /// Returns whether [#write], [#zero] and [#deallocate] can succeed.
  boolean writable();

  /// Returns whether a range can be accessed at once, later or never.
  ///
  /// @param offset in bytes; the range lies within the medium
  /// @param access the intended access; a medium may permit a write of whole blocks whose old data
  ///   is missing
  /// @return null if the range can be accessed at once (this common case allocates no memory); else
  ///   a future that completes when the range can be accessed. If the range can never be accessed,
  ///   the future fails with an [IOException] that has the reason. The caller may cancel the
  ///   future; the cancellation ends only the wait
  @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access);

  /// Fills the buffer from its position to its limit.
  ///
  /// @throws NotArrivedException if a part of the range has not arrived
  /// @throws IOException if the range cannot be read; the content of the buffer is then undefined
  void read(long offset, ByteBuffer into) throws IOException;

  /// Returns the file in which a range has the same offset and the same bytes as in this medium, if
  /// these bytes never change, even after this medium was closed. The caller must not close the
  /// file.
  ///
  /// @param offset in bytes; the range lies within the medium
  /// @return null if the bytes can change, if a part of the range has not arrived, or if the range
  ///   is not in one file
  default @Nullable FileChannel unchangingFile(long offset, long length) {
    return null;
  }

  /// Writes the buffer from its position to its limit. If the power fails before a later [#flush]
  /// has returned, the data may be lost.
  ///
  /// @throws NotArrivedException if the range begins or ends inside a block of 4,096 bytes, and the
  ///   rest of this block is needed and has not arrived
  /// @throws MediumFullException if the storage has no room for the data
  void write(long offset, ByteBuffer from) throws IOException;

  /// Sets all bytes of a range to zero. The space of the range stays allocated if the medium
  /// supports this.
  ///
  /// @throws NotArrivedException in the same case as [#write]
  void zero(long offset, long length) throws IOException;

  /// Sets all bytes of a range to zero. The space of the range is freed if the medium supports
  /// this.
  ///
  /// @throws NotArrivedException in the same case as [#write]
  void deallocate(long offset, long length) throws IOException;

  /// Returns the extent that begins at an offset.
  ///
  /// A range that has not arrived counts as mapped, because some initiators assume that an unmapped
  /// range contains only zeros, and do not read it.
  ///
  /// @param offset in bytes, below [#length]
  Extent extent(long offset) throws IOException;

  /// Flushes to stable storage all data that was written before this call.
  void flush() throws IOException;

  /// The intended access to a range.
  enum Access {
    READ,
    WRITE
  }

  /// A run of bytes that are all mapped or all unmapped.
  ///
  /// @param length in bytes from the requested offset, at least 1
  /// @param mapped if false, the range reads as zeros; if true, the range may have any content
  record Extent(long length, boolean mapped) {}
}

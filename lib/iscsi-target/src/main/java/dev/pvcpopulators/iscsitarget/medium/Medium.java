package dev.pvcpopulators.iscsitarget.medium;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What a logical unit stores: bytes from 0 to [#length], a multiple of 512, zeros where nothing
/// was written. For several threads at once; whoever needs two calls to be one holds a lock of its
/// own.
///
/// **Nothing here waits for data that is on its way.** Where [#arrival] says that a range is not
/// here yet, [#read] and [#write] fail with [NotArrivedException]; the caller waits for the future
/// instead, so that a thousand waiting reads cost no thread. Nobody interrupts a thread that is in
/// one of these methods: an interrupt closes a [java.nio.channels.FileChannel] for everybody.
public interface Medium extends Closeable {
  /// Bytes, a multiple of 512; never changes.
  long length();

  /// False where [#write], [#zero] and [#deallocate] always fail.
  boolean writable();

  /// When a range can be read, or written: at once, later or never.
  ///
  /// @param offset bytes, with `length` within the medium
  /// @param access what is meant to be done; a write of whole blocks may need nothing of what is on
  ///   its way
  /// @return null where nothing has to be waited for (the common case allocates nothing); else
  ///   completes when the range is here, or with the [IOException] for which it never will be. The
  ///   caller may cancel it, which gives up waiting and nothing else
  @Nullable CompletableFuture<Void> arrival(long offset, long length, Access access);

  /// Fills the buffer from its position to its limit.
  ///
  /// @throws NotArrivedException where a part of the range is on its way
  /// @throws IOException where the range cannot be read; what the buffer holds then is unspecified
  void read(long offset, ByteBuffer into) throws IOException;

  /// Writes the buffer from its position to its limit; volatile until [#flush].
  ///
  /// @throws NotArrivedException where blocks written in part are on their way
  void write(long offset, ByteBuffer from) throws IOException;

  /// Makes a range read as zeros and keeps its space, where the medium can.
  void zero(long offset, long length) throws IOException;

  /// Makes a range read as zeros and gives its space back, where the medium can.
  void deallocate(long offset, long length) throws IOException;

  /// The extent that begins at an offset: how far what lies there is of one kind.
  ///
  /// A range that is on its way counts as mapped, because some initiators take what is not mapped
  /// for zeros without reading it.
  ///
  /// @param offset bytes, below [#length]
  Extent extent(long offset) throws IOException;

  /// Returns when everything that was written before is on stable storage.
  void flush() throws IOException;

  /// Where a range lies in a file, so that it can go from there to a socket without passing through
  /// this process.
  ///
  /// @return null where it does not lie in one piece in a file, or is not here yet
  default @Nullable FileRange inFile(long offset, long length) {
    return null;
  }

  /// What a caller is about to do with a range.
  enum Access {
    READ,
    WRITE
  }

  /// Bytes of one kind.
  ///
  /// @param length bytes from the offset that was asked for, at least 1
  /// @param mapped false only where the range reads as zeros and occupies nothing
  record Extent(long length, boolean mapped) {}
}

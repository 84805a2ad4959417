package dev.pvcpopulators.iscsitarget.transfer;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One sequence of data from the initiator (RFC 7143, section 4.2.5.2): either immediate data and
/// the unsolicited data after it, or the data that one R2T requested. The connection's thread fills
/// the burst in order, and the task's thread takes the data in order. Each thread holds the lock of
/// the [DataOutTransfer] while the thread changes the burst.
final class Burst {
  private final ChunkPool.Account account;
  private final List<ByteBuffer> chunks;
  private final int targetTransferTag;
  private final long offset;
  private int length;
  private int filled;
  private int taken;
  private int dataSn;
  private boolean ended;

  /// Creates an empty burst.
  ///
  /// @param chunks chunks of the account; [#release] returns them to the account
  /// @param targetTransferTag the tag by which the initiator refers to this sequence
  /// @param offset in bytes from the beginning of the command's data
  /// @param length in bytes, at most the capacity of the chunks
  Burst(
      ChunkPool.Account account,
      List<ByteBuffer> chunks,
      int targetTransferTag,
      long offset,
      int length) {
    this.account = account;
    this.chunks = chunks;
    this.targetTransferTag = targetTransferTag;
    this.offset = offset;
    this.length = length;
  }

  int targetTransferTag() {
    return targetTransferTag;
  }

  /// Returns the offset in bytes from the beginning of the command's data.
  long offset() {
    return offset;
  }

  int length() {
    return length;
  }

  /// Returns the DataSN of the next PDU.
  int nextDataSn() {
    return dataSn;
  }

  /// Returns the offset of the next byte that has to arrive, in bytes from the beginning of the
  /// command's data.
  long nextOffset() {
    return offset + filled;
  }

  /// Returns the number of bytes that have not arrived.
  int missing() {
    return ended ? 0 : length - filled;
  }

  boolean ended() {
    return ended;
  }

  /// Adds the data of the next PDU.
  ///
  /// @param data at most [#missing] bytes
  void add(ByteBuffer data) {
    put(data);
    dataSn++;
  }

  /// Ends the sequence. Data that has not arrived no longer belongs to the sequence.
  void end() {
    ended = true;
    length = filled;
  }

  /// Adds data without counting a PDU, such as data that came with the command.
  ///
  /// @param data at most [#missing] bytes
  void put(ByteBuffer data) {
    while (data.hasRemaining()) {
      int within = filled % ChunkPool.CHUNK;
      int count = Math.min(ChunkPool.CHUNK - within, data.remaining());
      chunks.get(filled / ChunkPool.CHUNK).put(within, data, data.position(), count);
      data.position(data.position() + count);
      filled += count;
    }
  }

  /// Takes the next bytes that have arrived.
  ///
  /// @param most the maximum number of bytes to take, at least 1
  /// @return null if there are no such bytes
  @Nullable ByteBuffer take(int most) {
    if (taken == filled) {
      return null;
    }
    int within = taken % ChunkPool.CHUNK;
    int count = Math.min(Math.min(most, filled - taken), ChunkPool.CHUNK - within);
    ByteBuffer slice = chunks.get(taken / ChunkPool.CHUNK).slice(within, count);
    taken += count;
    return slice;
  }

  /// Returns whether all data that will ever arrive has been taken.
  boolean exhausted() {
    return ended && taken == filled;
  }

  /// Releases the memory; no other method may be called afterwards.
  void release() {
    account.release(chunks);
  }
}

package dev.pvcpopulators.iscsitarget.session;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One sequence of data from the initiator (RFC 7143, section 4.2.5.2): what came with the command
/// and unsolicited after it, or what one R2T asked for. The connection's thread fills it in order,
/// the task takes from it in order; both under the lock of the [DataOutTransfer] whose it is.
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

  /// @param chunks of the account, given back by [#release]
  /// @param targetTransferTag by which the initiator says that data is of this sequence
  /// @param offset bytes from the beginning of the command's data
  /// @param length bytes, at most what the chunks hold
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

  /// Bytes from the beginning of the command's data.
  long offset() {
    return offset;
  }

  int length() {
    return length;
  }

  /// The DataSN of the next PDU.
  int nextDataSn() {
    return dataSn;
  }

  /// Where the next byte belongs, from the beginning of the command's data.
  long nextOffset() {
    return offset + filled;
  }

  /// Bytes that are still to come.
  int missing() {
    return ended ? 0 : length - filled;
  }

  boolean ended() {
    return ended;
  }

  /// Adds what came with the command.
  ///
  /// @param data at most [#missing] bytes
  void begin(ByteBuffer data) {
    put(data);
  }

  /// Adds the data of the next PDU.
  ///
  /// @param data at most [#missing] bytes
  void add(ByteBuffer data) {
    put(data);
    dataSn++;
  }

  /// Nothing more comes; what is missing is no part of it.
  void end() {
    ended = true;
    length = filled;
  }

  private void put(ByteBuffer data) {
    while (data.hasRemaining()) {
      int within = filled % ChunkPool.CHUNK;
      int count = Math.min(ChunkPool.CHUNK - within, data.remaining());
      chunks.get(filled / ChunkPool.CHUNK).put(within, data, data.position(), count);
      data.position(data.position() + count);
      filled += count;
    }
  }

  /// Takes the next bytes that are here.
  ///
  /// @param most at least 1
  /// @return null where none are here
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

  /// Whether everything has been taken that will ever be here.
  boolean exhausted() {
    return ended && taken == filled;
  }

  /// Gives its memory back; nothing is called after that.
  void release() {
    account.release(chunks);
  }
}

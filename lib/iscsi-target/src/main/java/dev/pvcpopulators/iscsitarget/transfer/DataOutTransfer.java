package dev.pvcpopulators.iscsitarget.transfer;

import dev.pvcpopulators.iscsitarget.pdu.DataOut;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.RejectReason;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The data of one command: first immediate and unsolicited data, then the data that R2Ts request,
/// one [Burst] per R2T. A command that runs immediately with its complete data has no transfer.
/// While the task processes one burst, the next burst is in transit if there is memory for both
/// bursts.
///
/// The connection's thread adds data ([#begin], [#add]) and the task's thread takes the data
/// ([#receive]). No thread holds the lock during input or output.
public final class DataOutTransfer {
  /// "Protocol service CRC error" (RFC 7143, section 11.4.7.2).
  private static final Sense CRC_ERROR = new Sense(SenseKey.ABORTED_COMMAND, 0x4705);

  /// "Incorrect amount of data" (RFC 7143, section 11.4.7.2), for a PDU that belongs to no burst,
  /// or that [#fits] refuses.
  private static final Sense INCORRECT_AMOUNT = new Sense(SenseKey.ABORTED_COMMAND, 0x0C0D);

  /// The maximum number of bytes that one R2T requests: larger bursts are not faster, and take more
  /// memory.
  private static final int LONGEST_BURST = 4 * ChunkPool.CHUNK;

  private static final int MOST_BURSTS = 2;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Burst> bursts = new ArrayDeque<>(MOST_BURSTS);
  private final ChunkPool.Account account;
  private final int longestBurst;
  private final Requester requester;

  private long declared;
  private long requested;
  private @Nullable Sense failure;
  private boolean lastHasCome;

  /// Whether a sequence is in progress: its last PDU, which has the F bit, has not arrived.
  private boolean coming;

  private boolean aborted;
  private boolean stopped;
  private boolean ended;

  /// Sends R2Ts.
  public interface Requester {
    /// Returns a tag that differs from the tags of all outstanding R2Ts.
    int targetTransferTag();

    /// Requests a burst from the initiator.
    ///
    /// @param offset in bytes from the beginning of the command's data
    /// @param length in bytes
    void request(int targetTransferTag, long offset, int length);
  }

  /// Creates the transfer of one command.
  ///
  /// @param account supplies the memory for requested data
  /// @param maxBurstLength the negotiated MaxBurstLength in bytes
  public DataOutTransfer(ChunkPool.Account account, int maxBurstLength, Requester requester) {
    this.account = account;
    this.longestBurst = Math.min(maxBurstLength, LONGEST_BURST);
    this.requester = requester;
  }

  /// Starts the transfer with the data that came with the command, and prepares the transfer for
  /// the unsolicited data that follows.
  ///
  /// @param owner the account from which the chunks were taken
  /// @param length the maximum length of the immediate and unsolicited data together, in bytes
  /// @param immediate the data that came with the command
  public void begin(
      ChunkPool.Account owner, List<ByteBuffer> chunks, int length, ByteBuffer immediate) {
    lock.lock();
    try {
      Burst first = new Burst(owner, chunks, PduFormat.NO_TAG, 0, length);
      first.put(immediate);
      coming = first.missing() > 0;
      if (!coming) {
        first.end();
      }
      bursts.add(first);
      requested = length;
    } finally {
      lock.unlock();
    }
  }

  /// Starts the transfer of a command that has already failed. Its unsolicited data is discarded.
  public void beginInVain() {
    lock.lock();
    try {
      coming = true;
      ended = true;
    } finally {
      lock.unlock();
    }
  }

  /// Sets how many bytes the command receives.
  public void declare(long length) {
    lock.lock();
    try {
      declared = length;
    } finally {
      lock.unlock();
    }
  }

  /// Adds the data of a Data-Out PDU.
  ///
  /// @param intact false if the data digest of the PDU is wrong
  /// @return null if the data is accepted or discarded; else the reason to reject the PDU. The
  ///   caller must then reject the PDU and call [#rejected]
  public @Nullable RejectReason add(DataOut pdu, ByteBuffer data, boolean intact) {
    lock.lock();
    try {
      Burst burst = bursts.peekLast();
      RejectReason reason = null;
      if (ended || aborted) { // the data is no longer needed
        coming &= !pdu.isFinal();
      } else if (failure != null) {
        coming &= !pdu.isFinal();
        stopped |= pdu.isFinal();
      } else if (!intact) {
        reason = fail(CRC_ERROR, RejectReason.DATA_DIGEST_ERROR, pdu.isFinal());
      } else if (burst == null || !fits(burst, pdu, data.remaining())) {
        reason = fail(INCORRECT_AMOUNT, RejectReason.PROTOCOL_ERROR, pdu.isFinal() || !coming);
      } else {
        burst.add(data);
        if (pdu.isFinal()) {
          burst.end();
          coming = false;
          requested = burst.nextOffset();
        }
      }
      changed.signalAll();
      return reason;
    } finally {
      lock.unlock();
    }
  }

  /// Returns whether a PDU is the next PDU of its sequence, and its F bit is correct: the last PDU
  /// must have the F bit, and the other PDUs must not have it. A sequence of unsolicited data may
  /// end before the burst is full.
  private static boolean fits(Burst burst, DataOut pdu, int length) {
    boolean shorter = pdu.targetTransferTag() == PduFormat.NO_TAG && pdu.isFinal();
    return !burst.ended()
        && pdu.targetTransferTag() == burst.targetTransferTag()
        && pdu.dataSn() == burst.nextDataSn()
        && pdu.bufferOffset() == burst.nextOffset()
        && length <= burst.missing()
        && (shorter || pdu.isFinal() == (length == burst.missing()));
  }

  private RejectReason fail(Sense sense, RejectReason reason, boolean last) {
    failure = sense;
    lastHasCome = last;
    return reason;
  }

  /// Records that the caller has rejected the PDU for which [#add] returned a reason. The command
  /// fails as soon as the initiator has sent the last PDU of the sequence (RFC 7143, section
  /// 11.17.1).
  public void rejected() {
    lock.lock();
    try {
      stopped |= lastHasCome;
      coming &= !lastHasCome;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Receives data as specified by [dev.pvcpopulators.iscsitarget.scsi.Task#receive].
  public ByteBuffer receive(int most) throws TaskAbortedException {
    while (true) {
      ByteBuffer slice = takeOrWait(most);
      if (slice == null) {
        request(account.take(chunksWanted(), this::stopped));
      } else {
        int next = chunksOfNext();
        if (next > 0) {
          request(account.tryTake(next));
        }
        return slice;
      }
    }
  }

  /// Waits for the next data, and returns it. Returns null if the caller must request more data
  /// from the initiator.
  private @Nullable ByteBuffer takeOrWait(int most) throws TaskAbortedException {
    lock.lock();
    try {
      while (!stopped) {
        releaseExhausted();
        Burst first = bursts.peekFirst();
        if (first == null) {
          if (requested < declared) {
            return null;
          }
          throw new IllegalStateException("More was taken than the " + declared + " declared");
        }
        ByteBuffer slice = first.take(most);
        if (slice != null) {
          return slice;
        }
        changed.awaitUninterruptibly();
      }
      throw new TaskAbortedException();
    } finally {
      lock.unlock();
    }
  }

  private void releaseExhausted() {
    Burst first = bursts.peekFirst();
    while (first != null && first.exhausted()) {
      bursts.removeFirst().release();
      first = bursts.peekFirst();
    }
  }

  private int chunksWanted() {
    lock.lock();
    try {
      return chunks(Math.min(longestBurst, declared - requested));
    } finally {
      lock.unlock();
    }
  }

  /// Returns how many chunks to take for the next burst; 0 if the caller must not request a burst
  /// now.
  private int chunksOfNext() {
    lock.lock();
    try {
      boolean time = bursts.size() == 1 && bursts.getFirst().ended() && requested < declared;
      return time ? chunks(Math.min(longestBurst, declared - requested)) : 0;
    } finally {
      lock.unlock();
    }
  }

  private static int chunks(long length) {
    return (int) Math.ceilDiv(length, ChunkPool.CHUNK);
  }

  /// Requests the next burst; does nothing if there are no chunks. The length of the burst is the
  /// smallest of these lengths: the data that is not requested yet, [#longestBurst], and the
  /// capacity of the chunks.
  private void request(List<ByteBuffer> chunks) {
    if (chunks.isEmpty()) {
      return;
    }
    Burst burst;
    lock.lock();
    try {
      long most = Math.min((long) chunks.size() * ChunkPool.CHUNK, longestBurst);
      int length = (int) Math.min(most, declared - requested);
      burst = new Burst(account, chunks, requester.targetTransferTag(), requested, length);
      bursts.addLast(burst);
      requested += length;
      coming = true;
    } finally {
      lock.unlock();
    }
    requester.request(burst.targetTransferTag(), burst.offset(), burst.length());
  }

  private boolean stopped() {
    lock.lock();
    try {
      return stopped;
    } finally {
      lock.unlock();
    }
  }

  /// Ends the transfer, because its data is no longer needed.
  public void abort() {
    lock.lock();
    try {
      stopped = true;
      aborted = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    account.wake();
  }

  /// Releases all memory. Then waits for the end of the sequence in progress, because no response
  /// may precede that end (RFC 7143, section 11.4.2). An abort prevents or ends this wait. Data
  /// that arrives during this wait is discarded. Called by the task's thread at the task's end.
  ///
  /// @return the reason why the transfer failed; null if the transfer did not fail
  public @Nullable Sense end() {
    lock.lock();
    try {
      ended = true;
      bursts.forEach(Burst::release);
      bursts.clear();
      while (coming && !aborted) {
        changed.awaitUninterruptibly();
      }
      stopped = true;
      return failure;
    } finally {
      lock.unlock();
    }
  }
}

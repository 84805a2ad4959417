package dev.pvcpopulators.iscsitarget.session;

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

/// The data of one command that does not come with it as a whole: immediate and unsolicited data
/// first, then what R2Ts ask for, a [Burst] each. While the task works on one burst the next one is
/// on its way, where there is memory for two.
///
/// The connection's thread gives ([#begin], [#add]), the task's thread takes ([#receive]); the lock
/// is held for copies in memory only.
final class DataOutTransfer {
  /// "Protocol service CRC error" (RFC 7143, section 11.4.7.2).
  private static final Sense CRC_ERROR = new Sense(SenseKey.ABORTED_COMMAND, 0x4705);

  /// "Incorrect amount of data" (likewise), which gaps and overlaps amount to.
  private static final Sense INCORRECT_AMOUNT = new Sense(SenseKey.ABORTED_COMMAND, 0x0C0D);

  /// Most bytes that one R2T asks for: more would not be faster, and has to be kept.
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

  /// Whether a sequence is under way whose F bit has not come.
  private boolean coming;

  private boolean aborted;
  private boolean stopped;
  private boolean ended;

  /// Sends R2Ts.
  interface Requester {
    /// A tag that no other R2T under way has.
    int targetTransferTag();

    /// Asks the initiator for a burst.
    ///
    /// @param offset bytes from the beginning of the command's data
    /// @param length bytes
    void request(int targetTransferTag, long offset, int length);
  }

  /// @param account where memory for what R2Ts ask for comes from
  /// @param maxBurstLength as negotiated, in bytes
  DataOutTransfer(ChunkPool.Account account, int maxBurstLength, Requester requester) {
    this.account = account;
    this.longestBurst = Math.min(maxBurstLength, LONGEST_BURST);
    this.requester = requester;
  }

  /// Begins with what came with the command and comes unsolicited after it.
  ///
  /// @param owner of the chunks
  /// @param length bytes of both
  /// @param immediate the former
  void begin(ChunkPool.Account owner, List<ByteBuffer> chunks, int length, ByteBuffer immediate) {
    lock.lock();
    try {
      Burst first = new Burst(owner, chunks, PduFormat.NO_TAG, 0, length);
      first.begin(immediate);
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

  /// Begins with unsolicited data that nobody will take, because the command has failed already.
  void beginInVain() {
    lock.lock();
    try {
      coming = true;
      ended = true;
    } finally {
      lock.unlock();
    }
  }

  /// How many bytes the command takes.
  void declare(long length) {
    lock.lock();
    try {
      declared = length;
    } finally {
      lock.unlock();
    }
  }

  /// Takes a Data-Out.
  ///
  /// @param intact false where its data digest is wrong
  /// @return why the PDU is to be rejected, which [#rejected] tells; null where it is not
  @Nullable RejectReason add(DataOut pdu, ByteBuffer data, boolean intact) {
    lock.lock();
    try {
      Burst burst = bursts.peekLast();
      RejectReason reason = null;
      if (ended || aborted) { // nobody takes it any more
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

  /// Whether a PDU is the next one of its sequence, with F exactly at the end; unsolicited data may
  /// end earlier than it would have to.
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

  /// The PDU has been rejected. The command ends with the failure as soon as the initiator has sent
  /// its sequence to the end (RFC 7143, section 11.17.1).
  void rejected() {
    lock.lock();
    try {
      stopped |= lastHasCome;
      coming &= !lastHasCome;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// See [dev.pvcpopulators.iscsitarget.scsi.Task#receive].
  ByteBuffer receive(int most) throws TaskAbortedException {
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

  /// Null where the initiator has to be asked for more.
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

  /// How many chunks the burst after this one takes, 0 where it is not yet time for it.
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

  /// Asks for as much as the chunks hold.
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

  /// Nobody takes any more.
  void abort() {
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

  /// Gives all memory back, then waits for the end of the sequence that is under way, because no
  /// response may come before it (RFC 7143, section 11.4.2); what still comes is dropped. Called by
  /// the task's thread at its end.
  ///
  /// @return what the transfer failed for, null where it did not
  @Nullable Sense end() {
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

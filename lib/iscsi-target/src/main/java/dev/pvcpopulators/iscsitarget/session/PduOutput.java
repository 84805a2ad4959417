package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import dev.pvcpopulators.iscsitarget.wire.CommandWindow;
import dev.pvcpopulators.iscsitarget.wire.PduLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The output of a connection. PDUs are assembled in one buffer. The buffer is sent by [#flush], or
/// when it has no room for the next PDU. So one system call can send the answers to many commands.
/// Data is copied through the buffer, which stays in the processor's cache
/// (docs/decisions/0008-reads-are-copied-once.md). Only long data segments whose bytes never change
/// are sent from a file (docs/decisions/0024-bytes-that-never-change-are-sent-from-their-file.md).
///
/// Thread-safe: each PDU is assembled and numbered under the lock, so PDUs are sent in the order of
/// StatSN. If the socket fails, PDUs are lost, and this class closes the channel. The thread that
/// reads from the channel then finds the channel closed. In this class, only [#dataIn] reports the
/// loss, by a [TaskAbortedException].
final class PduOutput {
  static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /// The minimum length in bytes of a data segment that is sent from a file. The data of shorter
  /// segments is copied, because one system call can then send the answers to several commands.
  private static final int SHORTEST_FROM_FILE = 64 * 1024;

  /// The maximum length in bytes of a data segment that is sent from a file. The answers to other
  /// commands wait meanwhile.
  private static final int LONGEST_FROM_FILE = 256 * 1024;

  private static final System.Logger LOG = System.getLogger(PduOutput.class.getName());

  private final ReentrantLock lock = new ReentrantLock();
  private final SocketChannel channel;
  private final ByteBuffer buffer;
  private final PduLayout layout;
  private final CommandWindow window;
  private final int longestSegment;
  private final int longestFileSegment;

  private int statSn;
  private boolean lost;

  /// Whether the kernel has refused to send an open file; then this output copies all data.
  private boolean refusesFiles;

  /// The command whose latest Data-In has no header yet; null if there is no such command. The
  /// header is written late, because it may have to contain the status.
  private @Nullable IscsiTask open;

  private int openAt;
  private int openLength;

  private volatile boolean writing;
  private volatile long writingSince;

  /// Creates the output of a connection.
  ///
  /// @param buffer a buffer that only this connection uses until the connection has ended
  /// @param layout the layout for the same buffer
  /// @param mostSegment the longest data segment that the initiator accepts, in bytes
  /// @param statSn the next StatSN
  PduOutput(
      SocketChannel channel,
      ByteBuffer buffer,
      PduLayout layout,
      CommandWindow window,
      int mostSegment,
      int statSn) {
    this.channel = channel;
    this.buffer = buffer.clear();
    this.layout = layout;
    this.window = window;
    this.longestSegment = Math.min(SessionLimits.sentSegment(buffer.capacity()), mostSegment);
    this.longestFileSegment = Math.min(LONGEST_FROM_FILE, mostSegment);
    this.statSn = statSn;
  }

  /// Writes the header of a PDU with the given sequence numbers.
  @FunctionalInterface
  interface HeaderWriter {
    void write(ByteBuffer into, SequenceNumbers numbers);
  }

  /// Puts a PDU such as a response into the buffer. The PDU consumes a StatSN.
  ///
  /// @param data the data segment of the PDU, from position to limit; at most [#longestSegment]
  ///   bytes
  /// @param ending records the end of the work that the PDU answers; runs under the lock, before
  ///   the PDU is put into the buffer
  void status(HeaderWriter header, ByteBuffer data, Runnable ending) {
    lock.lock();
    try {
      ending.run();
      put(header, data, true);
    } finally {
      lock.unlock();
    }
  }

  /// Puts a PDU without data, such as an R2T, into the buffer. The PDU contains the next StatSN,
  /// but does not consume it.
  void withoutStatus(HeaderWriter header) {
    put(header, NOTHING, false);
  }

  /// Runs an action that records the end of work that gets no answer. While the action runs, no PDU
  /// is put into the buffer.
  void between(Runnable ending) {
    lock.lock();
    try {
      ending.run();
    } finally {
      lock.unlock();
    }
  }

  private void put(HeaderWriter header, ByteBuffer data, boolean usesStatSn) {
    lock.lock();
    try {
      int length = data.remaining();
      int at = begin(length);
      if (lost) {
        return;
      }
      buffer.position(layout.dataAt(at)).put(data);
      layout.endData(at, length);
      buffer.position(at);
      header.write(buffer, window.numbers(statSn));
      layout.endHeader(at, length);
      if (usesStatSn) {
        statSn++;
      }
    } finally {
      lock.unlock();
    }
  }

  /// Returns the maximum length in bytes of the data segment of a PDU that this output sends.
  int longestSegment() {
    return longestSegment;
  }

  /// Returns the window of the session's command numbers.
  CommandWindow window() {
    return window;
  }

  /// Fills the data segment of a PDU.
  @FunctionalInterface
  interface DataSource {
    /// Fills the buffer from its position to its limit.
    void read(ByteBuffer into) throws IOException;
  }

  /// Puts a Data-In into the buffer. The last Data-In of a command stays open: its header is
  /// written later, by [#complete], by [#flush] or before the next PDU.
  ///
  /// @param length in bytes, 1 to [#longestSegment]
  /// @param source fills the data segment
  /// @throws TaskAbortedException if the task was aborted or the connection is lost
  /// @throws IOException if the source failed; then no PDU was put into the buffer
  void dataIn(IscsiTask task, int length, DataSource source) throws IOException {
    lock.lock();
    try {
      int at = begin(length);
      if (lost || task.aborted()) {
        throw new TaskAbortedException();
      }
      int data = layout.dataAt(at);
      boolean filled = false;
      try {
        source.read(buffer.limit(data + length).position(data));
        filled = true;
      } finally {
        buffer.limit(buffer.capacity());
        if (!filled) {
          buffer.position(at);
        }
      }
      layout.endData(at, length);
      task.dataInPut(length);
      open = task;
      openAt = at;
      openLength = length;
      if (task.dataInMissing()) {
        seal();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Returns whether the data segment of a Data-In can be sent from a file.
  ///
  /// @param length the length of the data segment in bytes
  boolean sendsFiles(int length) {
    return length >= SHORTEST_FROM_FILE
        && PduFormat.padding(length) == 0
        && !layout.digestsData()
        && !refusesFiles;
  }

  /// Returns the maximum length in bytes of a data segment that is sent from a file.
  int longestFileSegment() {
    return longestFileSegment;
  }

  /// Sends the assembled PDUs, and then a Data-In whose data segment is a range of a file. The
  /// kernel sends the pages of the file (sendfile(2)), and may read them much later. So the bytes
  /// of the range must never change.
  ///
  /// @param length in bytes, accepted by [#sendsFiles], at most [#longestFileSegment]
  /// @param source has the same range at the same offset
  /// @throws TaskAbortedException if the task was aborted or the connection is lost
  /// @throws IOException if the range cannot be read; then the rest of the data segment is zeros
  void dataIn(IscsiTask task, int length, FileChannel file, long offset, Task.Source source)
      throws IOException {
    lock.lock();
    try {
      int at = begin(0);
      if (lost || task.aborted()) {
        throw new TaskAbortedException();
      }
      task.dataInPut(length);
      task.writeDataIn(buffer, window.numbers(0), length);
      layout.digestHeader(at);
      buffer.position(layout.dataAt(at));
      IOException failure;
      boolean whole = false;
      try {
        write();
        failure = sendFile(file, offset, offset + length, source);
        whole = true;
      } finally {
        buffer.clear();
        if (!whole) { // a short data segment would damage all later PDUs
          lose();
        }
      }
      if (lost || (failure != null && task.aborted())) {
        throw new TaskAbortedException();
      }
      if (failure != null) {
        throw failure;
      }
    } finally {
      lock.unlock();
    }
  }

  /// Sends a range of a file. The kernel's socket is in non-blocking mode, because a virtual thread
  /// has read the login from it. So if the send buffer of the socket is full, the kernel takes only
  /// a part of the range. Then the next piece is copied, because the write of a buffer waits for
  /// room.
  ///
  /// @return the reason why the rest of the range is zeros; null if the whole range was sent
  private @Nullable IOException sendFile(
      FileChannel file, long offset, long end, Task.Source source) {
    long at = offset;
    try {
      while (at < end && !lost) {
        at += transfer(file, at, end - at, source);
        int piece = (int) Math.min(buffer.capacity(), end - at);
        if (piece > 0) {
          copy(file, at, piece, source);
          at += piece;
        }
      }
      return null;
    } catch (IOException e) {
      for (long left = end - at; left > 0 && !lost; left -= buffer.capacity()) {
        buffer.clear();
        while (buffer.position() < Math.min(buffer.capacity(), left)) {
          buffer.put((byte) 0);
        }
        write();
      }
      return e;
    }
  }

  /// Returns the number of bytes that the kernel took; 0 after an error.
  private long transfer(FileChannel file, long at, long length, Task.Source source) {
    long begin = System.nanoTime();
    try {
      long sent = file.transferTo(at, length, channel);
      source.took(System.nanoTime() - begin, sent);
      return sent;
    } catch (IOException _) { // the copy of the same bytes finds out the reason
      refusesFiles = file.isOpen();
      return 0;
    }
  }

  /// Copies a range of a file. If the file was closed meanwhile, the source may have the range in
  /// another file.
  private void copy(FileChannel file, long at, int length, Task.Source source) throws IOException {
    buffer.clear().limit(length);
    try {
      int read = 0;
      while (buffer.hasRemaining() && read >= 0) {
        read = file.read(buffer, at + buffer.position());
      }
    } catch (ClosedChannelException _) {
      buffer.position(0);
    }
    if (buffer.hasRemaining()) {
      source.read(at + buffer.position(), buffer);
    }
    write();
  }

  /// Ends a command. If the command's last Data-In is still open and the status is GOOD, this
  /// Data-In contains the status. Otherwise a SCSI Response contains the status.
  ///
  /// @param ending runs under the lock, before the status is put into the buffer
  void complete(IscsiTask task, Response response, Runnable ending) {
    lock.lock();
    try {
      ending.run();
      if (lost) {
        return;
      }
      if (open == task && response.good()) {
        open = null;
        int end = buffer.position();
        task.writeFinalDataIn(buffer.position(openAt), window.numbers(statSn++), openLength);
        layout.digestHeader(openAt);
        buffer.position(end);
      } else {
        ByteBuffer sense = senseSegment(response);
        int length = sense.remaining();
        put((into, numbers) -> task.writeResponse(into, response, numbers, length), sense, true);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Returns the data segment of a SCSI Response: the length of the sense data, then the sense data
  /// (RFC 7143, section 11.4.7). The segment is empty if the response has no sense data.
  private static ByteBuffer senseSegment(Response response) {
    Sense sense = response.sense();
    if (sense == null) {
      return NOTHING;
    }
    ByteBuffer segment = ByteBuffer.allocate(Short.BYTES + Sense.LENGTH);
    sense.write(segment.putShort((short) Sense.LENGTH));
    return segment.flip();
  }

  /// Sends the assembled PDUs. May wait until the initiator has received earlier data.
  void flush() {
    lock.lock();
    try {
      seal();
      if (buffer.position() > 0 && !lost) {
        write();
      }
    } finally {
      lock.unlock();
    }
  }

  private void write() {
    writingSince = System.nanoTime();
    writing = true;
    try {
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
        writingSince = System.nanoTime();
      }
    } catch (IOException _) { // the thread that reads finds the channel closed
      lose();
    } finally {
      writing = false;
      buffer.clear();
    }
  }

  /// Ends the output. After this call, nothing is sent, and the buffer is not used.
  void end() {
    lock.lock();
    try {
      lost = true;
      open = null;
    } finally {
      lock.unlock();
    }
  }

  /// Returns the time since the pending write last made progress. No progress means that the
  /// initiator does not receive what the target sends.
  ///
  /// @param now [System#nanoTime]
  /// @return nanoseconds; 0 if no write is pending
  long stalled(long now) {
    return writing ? now - writingSince : 0;
  }

  private void lose() {
    lost = true;
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "Cannot close a connection", e);
    }
  }

  /// Makes room for a PDU at the buffer's position. If the connection is lost, makes no room,
  /// because no PDU is sent any more.
  ///
  /// @return the start of the PDU
  private int begin(int length) {
    seal();
    if (!lost && buffer.remaining() < PduLayout.most(length)) {
      flush();
    }
    return buffer.position();
  }

  /// Writes the header of the open Data-In, without a status.
  private void seal() {
    IscsiTask task = open;
    if (task != null) {
      open = null;
      int end = buffer.position();
      buffer.position(openAt);
      task.writeDataIn(buffer, window.numbers(0), openLength);
      layout.digestHeader(openAt);
      buffer.position(end);
    }
  }
}

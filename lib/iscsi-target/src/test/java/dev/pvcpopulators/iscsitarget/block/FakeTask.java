package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;

/// A command with its buffers in memory. A transfer fails if the command transfers more bytes than
/// it declared, or more than the initiator has or accepts.
final class FakeTask implements Task {
  private final Nexus nexus;
  private final byte[] cdb;
  private final byte[] dataOut;
  private final long room;
  private final ByteArrayOutputStream dataIn = new ByteArrayOutputStream();

  private IntUnaryOperator pieces = most -> most;
  private Runnable whenReceiving = () -> {};
  private int received;
  private long declared = -1;
  private volatile boolean aborted;

  /// Creates a command.
  ///
  /// @param dataOut the data that the initiator can send
  /// @param room the number of bytes that the initiator accepts
  FakeTask(Nexus nexus, byte[] cdb, byte[] dataOut, long room) {
    this.nexus = nexus;
    this.cdb = cdb;
    this.dataOut = dataOut;
    this.room = room;
  }

  /// Sets the sizes of received pieces.
  ///
  /// @param size a function from the maximum size of the next piece to its size
  FakeTask inPieces(IntUnaryOperator size) {
    this.pieces = size;
    return this;
  }

  /// Sets an action that runs before each received piece.
  FakeTask whenReceiving(Runnable action) {
    this.whenReceiving = action;
    return this;
  }

  byte[] dataIn() {
    return dataIn.toByteArray();
  }

  /// Returns the length that the command declared, or -1 without a declaration.
  long declared() {
    return declared;
  }

  int received() {
    return received;
  }

  @Override
  public Nexus nexus() {
    return nexus;
  }

  @Override
  public TaskAttribute attribute() {
    return TaskAttribute.SIMPLE;
  }

  @Override
  public ByteBuffer cdb() {
    return ByteBuffer.wrap(cdb).asReadOnlyBuffer();
  }

  @Override
  public long declareIn(long length) {
    declare(length);
    return Math.min(length, room);
  }

  @Override
  public void send(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    dataIn.writeBytes(copy);
    check(dataIn.size(), room);
  }

  @Override
  public void send(Source source, long offset, long length) throws IOException {
    ByteBuffer copy = ByteBuffer.allocate(Math.toIntExact(length));
    source.read(offset, copy);
    send(copy.flip());
  }

  @Override
  public long declareOut(long length) {
    declare(length);
    return Math.min(length, dataOut.length);
  }

  private void declare(long length) {
    if (received > 0 || dataIn.size() > 0 || length < 0) {
      throw new IllegalStateException("Declared " + length + " after " + declared);
    }
    declared = length;
  }

  @Override
  public ByteBuffer receive(int most) throws IOException {
    whenReceiving.run();
    if (aborted) {
      throw new TaskAbortedException();
    }
    int size = Math.clamp(pieces.applyAsInt(most), 1, most);
    check(received + size, dataOut.length);
    ByteBuffer piece = ByteBuffer.wrap(dataOut, received, size).asReadOnlyBuffer();
    received += size;
    return piece;
  }

  private void check(long moved, long most) {
    if (moved > Math.min(declared, most)) {
      throw new IllegalStateException(
          "Moved " + moved + " of " + declared + " declared, " + most + " possible");
    }
  }

  @Override
  public boolean aborted() {
    return aborted;
  }

  @Override
  public void abort(boolean tell) {
    aborted = true;
  }
}

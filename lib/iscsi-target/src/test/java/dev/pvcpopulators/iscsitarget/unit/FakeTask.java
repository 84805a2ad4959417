package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/// A command with buffers in memory.
final class FakeTask extends UnitTask {
  /// The length in bytes of a data-in buffer for tests that do not test the length.
  static final int LARGE = 1 << 20;

  private static final int CDB_LENGTH = 16;

  private final Nexus nexus;
  private final TaskAttribute attribute;
  private final byte[] dataOut;
  private final int dataInLength;
  private final ByteArrayOutputStream dataIn = new ByteArrayOutputStream();
  private final int chunk;
  private int taken;
  private volatile boolean aborted;
  private volatile boolean told;
  private long declaredIn;

  /// Creates a command.
  ///
  /// @param chunk the maximum number of bytes that one call of [#receive] returns
  FakeTask(
      Nexus nexus,
      TaskAttribute attribute,
      byte[] cdb,
      byte[] dataOut,
      int dataInLength,
      int chunk) {
    super(ByteBuffer.wrap(Arrays.copyOf(cdb, CDB_LENGTH)).asReadOnlyBuffer());
    this.nexus = nexus;
    this.attribute = attribute;
    this.dataOut = dataOut.clone();
    this.dataInLength = dataInLength;
    this.chunk = chunk;
  }

  static FakeTask of(Nexus nexus, String cdb) {
    return of(nexus, TaskAttribute.SIMPLE, cdb);
  }

  static FakeTask of(Nexus nexus, TaskAttribute attribute, String cdb) {
    return new FakeTask(nexus, attribute, hex(cdb), new byte[0], LARGE, LARGE);
  }

  static FakeTask of(Nexus nexus, String cdb, byte[] dataOut) {
    return new FakeTask(nexus, TaskAttribute.SIMPLE, hex(cdb), dataOut, 0, 7);
  }

  static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }

  byte[] dataIn() {
    return dataIn.toByteArray();
  }

  long declaredIn() {
    return declaredIn;
  }

  boolean told() {
    return told;
  }

  @Override
  public Nexus nexus() {
    return nexus;
  }

  @Override
  public TaskAttribute attribute() {
    return attribute;
  }

  @Override
  public long declareIn(long length) {
    declaredIn = length;
    return Math.min(length, dataInLength);
  }

  @Override
  public void send(ByteBuffer bytes) throws IOException {
    if (aborted) {
      throw new TaskAbortedException();
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    dataIn.write(copy);
  }

  @Override
  public void send(Source source, long offset, long length) throws IOException {
    ByteBuffer copy = ByteBuffer.allocate((int) length);
    source.read(offset, copy);
    send(copy.flip());
  }

  @Override
  public long declareOut(long length) {
    return Math.min(length, dataOut.length);
  }

  @Override
  public ByteBuffer receive(int most) throws IOException {
    int length = Math.min(Math.min(most, chunk), dataOut.length - taken);
    if (aborted || length == 0) {
      throw new TaskAbortedException();
    }
    ByteBuffer part = ByteBuffer.wrap(dataOut, taken, length).asReadOnlyBuffer();
    taken += length;
    return part;
  }

  @Override
  public boolean aborted() {
    return aborted;
  }

  @Override
  public void abort(boolean tell) {
    aborted = true;
    told = tell;
  }
}

package dev.pvcpopulators.iscsitarget.conformance;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/// A connection of an initiator. The initiator follows RFC 7143 unless a test sends other bytes.
final class RawSession implements AutoCloseable {
  /// Byte 1 of a Login Request: the T bit, the operational stage as the current stage, and the
  /// full-feature phase as the next stage.
  static final int TO_FULL_FEATURE = 0x87;

  private static final int LIMIT_MILLIS = 600_000;
  private static final int LOGIN_RESPONSE = 0x23;
  private static final int DATA_IN = 0x25;
  private static final int SCSI_RESPONSE = 0x21;
  private static final int STATUS = 0x01;
  private static final int TRANSIT = 0x80;
  private static final int OPCODE = 0x3F;
  private static final int MAX_ROUNDS = 5;
  private static final int WORD = 4;

  /// A PDU from the target.
  ///
  /// @param header 48 bytes
  @SuppressWarnings("ArrayRecordComponent") // no code compares these records
  record Answer(ByteBuffer header, byte[] data) {
    int opcode() {
      return header.get(0) & OPCODE;
    }

    int octet(int position) {
      return header.get(position) & 0xFF;
    }
  }

  private final Socket socket;
  private final DataInputStream in;
  private int cmdSn = 1;
  private int expStatSn;
  private int taskTag;

  private RawSession(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
  }

  /// Opens a connection without a login.
  static RawSession connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(LIMIT_MILLIS);
    return new RawSession(socket);
  }

  /// Opens a session in full-feature phase.
  ///
  /// @param keys the keys except InitiatorName, each as `KEY=VALUE`
  static RawSession login(int port, long isid, String... keys) throws IOException {
    RawSession session = connect(port);
    try {
      session.login(isid, keys);
      return session;
    } catch (IOException | AssertionError e) {
      session.close();
      throw e;
    }
  }

  /// Opens a normal session.
  static RawSession normal(int port, long isid, String target) throws IOException {
    return login(port, isid, "SessionType=Normal", "TargetName=" + target, "InitialR2T=No");
  }

  private void login(long isid, String... keys) throws IOException {
    String[] all = new String[keys.length + 1];
    all[0] = "InitiatorName=iqn.2026-11.dev.pvcpopulators:raw-" + isid;
    System.arraycopy(keys, 0, all, 1, keys.length);
    RawPdu request = RawPdu.login(TO_FULL_FEATURE, isid, all);
    for (int round = 0; round < MAX_ROUNDS; round++) {
      send(request);
      Answer answer = answer();
      if (answer.opcode() != LOGIN_RESPONSE || answer.header().getShort(36) != 0) {
        throw new AssertionError(
            "Login refused: " + java.util.HexFormat.of().formatHex(answer.header().array()));
      }
      if ((answer.octet(1) & TRANSIT) != 0) {
        return;
      }
      request = RawPdu.login(TO_FULL_FEATURE, isid);
    }
    throw new AssertionError("Login does not end");
  }

  /// Sets the next CmdSN, ExpStatSN and task tag in a PDU, and sends the PDU.
  ///
  /// @return the task tag of the PDU
  int send(RawPdu pdu) throws IOException {
    write(numbered(pdu).bytes());
    return taskTag;
  }

  /// Sets the next CmdSN, ExpStatSN and task tag in a PDU.
  RawPdu numbered(RawPdu pdu) {
    pdu.word(RawPdu.TASK_TAG, ++taskTag)
        .word(RawPdu.CMD_SN, cmdSn)
        .word(RawPdu.EXP_STAT_SN, expStatSn);
    boolean immediate = (pdu.header().get(0) & 0x40) != 0;
    if (!immediate) {
      cmdSn++;
    }
    return pdu;
  }

  void write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /// Closes the direction from the initiator to the target.
  void shutdown() throws IOException {
    socket.shutdownOutput();
  }

  /// Returns the next PDU of the target.
  ///
  /// @throws EOFException if the target has closed the connection
  Answer answer() throws IOException {
    byte[] header = new byte[RawPdu.HEADER];
    in.readFully(header);
    ByteBuffer buffer = ByteBuffer.wrap(header);
    int length = buffer.getInt(RawPdu.DATA_LENGTH) & 0xFFFFFF;
    in.skipNBytes((long) WORD * (header[RawPdu.AHS_LENGTH] & 0xFF));
    byte[] data = new byte[length];
    in.readFully(data);
    in.skipNBytes((WORD - length % WORD) % WORD);
    boolean dataInWithoutStatus =
        (header[0] & OPCODE) == DATA_IN && (header[RawPdu.FLAGS] & STATUS) == 0;
    if (!dataInWithoutStatus) {
      expStatSn = buffer.getInt(24) + 1;
    }
    return new Answer(buffer, data);
  }

  /// Reads blocks of LUN 0, and asserts that the command ends with GOOD.
  byte[] read(int lba, int blocks) throws IOException {
    int tag = send(RawPdu.read10(lba, blocks));
    ByteBuffer data = ByteBuffer.allocate(blocks * 512);
    while (true) {
      Answer answer = answer();
      if (answer.header().getInt(RawPdu.TASK_TAG) != tag) {
        continue; // a ping of the target
      }
      if (answer.opcode() == DATA_IN) {
        data.put(answer.header().getInt(RawPdu.BUFFER_OFFSET), answer.data());
        if ((answer.octet(RawPdu.FLAGS) & STATUS) != 0) {
          assertGood(answer);
          return data.array();
        }
      } else if (answer.opcode() == SCSI_RESPONSE) {
        assertGood(answer);
        return data.array();
      } else {
        throw new AssertionError("Unexpected: " + answer);
      }
    }
  }

  /// Reads PDUs until a command ends, and returns the SCSI status of the command.
  int status(int tag) throws IOException {
    while (true) {
      Answer answer = answer();
      boolean status =
          answer.opcode() == SCSI_RESPONSE
              || (answer.opcode() == DATA_IN && (answer.octet(RawPdu.FLAGS) & STATUS) != 0);
      if (status && answer.header().getInt(RawPdu.TASK_TAG) == tag) {
        return answer.octet(3);
      }
    }
  }

  private static void assertGood(Answer answer) {
    if (answer.octet(3) != 0) {
      throw new AssertionError("Status " + answer.octet(3));
    }
  }

  /// Reads until the target closes the connection, or until bytes arrive after the first `most`
  /// bytes.
  void drain(long most) throws IOException {
    byte[] block = new byte[1 << 16];
    long left = most;
    for (int read = in.read(block); read >= 0 && left > 0; read = in.read(block)) {
      left -= read;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

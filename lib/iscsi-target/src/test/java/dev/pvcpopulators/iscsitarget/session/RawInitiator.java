package dev.pvcpopulators.iscsitarget.session;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// An initiator that sends valid or invalid scripted PDUs and returns the answers. The initiator
/// shares no code with the target. Only one thread may use an initiator.
public final class RawInitiator implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 600_000;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private boolean headerDigest;
  private boolean dataDigest;
  private int cmdSn = 1;
  private int nextTag = 100;

  private RawInitiator(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  public static RawInitiator connect(InetSocketAddress portal) throws IOException {
    Socket socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(portal);
    return new RawInitiator(socket);
  }

  /// Opens a connection with a small receive buffer. So the target soon has to wait until the
  /// initiator reads the answers.
  public static RawInitiator connectWithBuffer(InetSocketAddress portal, int bytes)
      throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(bytes);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(portal);
    return new RawInitiator(socket);
  }

  /// Logs in to a target without authentication. The login starts in the operational stage.
  ///
  /// @return the keys of the answer
  public Map<String, String> login(String initiator, String target, String... keys)
      throws IOException {
    List<String> text = new ArrayList<>();
    text.add("InitiatorName=" + initiator);
    text.add("SessionType=Normal");
    text.add("TargetName=" + target);
    text.addAll(List.of(keys));
    return login(text);
  }

  /// Starts a discovery session.
  public Map<String, String> discover(String initiator, String... keys) throws IOException {
    List<String> text = new ArrayList<>();
    text.add("InitiatorName=" + initiator);
    text.add("SessionType=Discovery");
    text.addAll(List.of(keys));
    return login(text);
  }

  private Map<String, String> login(List<String> text) throws IOException {
    RawPdu answer = loginRequest(1, text);
    if (answer.opcode() != RawPdu.LOGIN_RESPONSE || answer.intAt(36) >>> 16 != 0) {
      throw new IOException("The login was refused: " + answer);
    }
    Map<String, String> keys = answer.text();
    headerDigest = "CRC32C".equals(keys.get("HeaderDigest"));
    dataDigest = "CRC32C".equals(keys.get("DataDigest"));
    return keys;
  }

  /// Sends a Login Request from the operational stage to the full-feature phase.
  ///
  /// @param isid the last byte of the ISID
  public RawPdu loginRequest(int isid, List<String> text) throws IOException {
    send(
        RawPdu.of(RawPdu.IMMEDIATE | RawPdu.LOGIN, 0x87)
            .withHex(8, "80 12 34 56 78 " + String.format("%02x", isid))
            .withTag(1)
            .with(24, cmdSn)
            .withText(text.toArray(String[]::new)));
    return receive();
  }

  /// Returns and consumes the next CmdSN.
  public int cmdSn() {
    return cmdSn++;
  }

  /// Sets the next CmdSN.
  public void cmdSn(int next) {
    cmdSn = next;
  }

  /// Returns an unused task tag.
  public int tag() {
    return nextTag++;
  }

  /// Creates a SCSI Command with the next CmdSN and a new tag.
  ///
  /// @param flags [RawPdu#READ], [RawPdu#WRITE], or 0 for a command without data; this method adds
  ///   F and SIMPLE
  /// @param expected the expected data transfer length in bytes
  /// @param cdb the CDB in hexadecimal
  public RawPdu command(int lun, int flags, int expected, String cdb) {
    return RawPdu.of(RawPdu.SCSI_COMMAND, RawPdu.FINAL | RawPdu.SIMPLE | flags)
        .withHex(8, String.format("00%02x000000000000", lun))
        .withTag(tag())
        .with(20, expected)
        .with(24, cmdSn())
        .withHex(32, cdb);
  }

  /// Creates READ(10).
  public RawPdu read10(int lun, int lba, int blocks) {
    return command(lun, RawPdu.READ, blocks * 512, String.format("2800%08x00%04x00", lba, blocks));
  }

  /// Creates WRITE(10) with immediate data.
  public RawPdu write10(int lun, int lba, byte[] data) {
    return write10(lun, lba, data.length / 512).withData(data);
  }

  /// Creates WRITE(10) without immediate data.
  public RawPdu write10(int lun, int lba, int blocks) {
    return command(lun, RawPdu.WRITE, blocks * 512, String.format("2a00%08x00%04x00", lba, blocks));
  }

  /// Creates a Data-Out PDU for a command.
  public RawPdu dataOut(
      RawPdu command, int transferTag, int dataSn, int offset, byte[] data, boolean last) {
    return RawPdu.of(RawPdu.DATA_OUT, last ? RawPdu.FINAL : 0)
        .withTag(command.tag())
        .with(20, transferTag)
        .with(36, dataSn)
        .with(40, offset)
        .withData(data);
  }

  /// Sends TEST UNIT READY until it succeeds, at most eight times. A new session has unit
  /// attentions.
  public void clearAttentions(int lun) throws IOException {
    for (int i = 0; i < 8; i++) {
      send(command(lun, 0, 0, "000000000000"));
      if (receive().byteAt(3) == 0) {
        return;
      }
    }
    throw new IOException("The logical unit does not get ready");
  }

  /// Sends a PDU with padding and with the negotiated digests.
  public void send(RawPdu pdu) throws IOException {
    sendBytes(bytes(pdu));
  }

  /// Returns the bytes of a PDU on the wire, with padding and with the negotiated digests.
  public byte[] bytes(RawPdu pdu) {
    byte[] header = pdu.header();
    int padded = pdu.data().length + 3 & ~3;
    byte[] segment = Arrays.copyOf(pdu.data(), padded);
    ByteBuffer wire = ByteBuffer.allocate(header.length + padded + 8);
    wire.put(header);
    if (headerDigest) {
      wire.put(crc32c(header));
    }
    wire.put(segment);
    if (dataDigest && padded > 0) {
      wire.put(crc32c(segment));
    }
    return Arrays.copyOf(wire.array(), wire.position());
  }

  /// Returns a CRC32C in wire order, the least significant byte first.
  public static byte[] crc32c(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    int value = (int) crc.getValue();
    return new byte[] {
      (byte) value, (byte) (value >>> 8), (byte) (value >>> 16), (byte) (value >>> 24)
    };
  }

  public void sendBytes(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /// Sends bytes.
  ///
  /// @return false if the target has closed the connection
  public boolean trySendBytes(byte[] bytes) throws IOException {
    try {
      sendBytes(bytes);
      return true;
    } catch (SocketException _) { // broken pipe or reset
      return false;
    }
  }

  /// Closes the direction from the initiator to the target.
  public void endOutput() throws IOException {
    try {
      socket.shutdownOutput();
    } catch (SocketException _) { // the target has already closed the connection
      return;
    }
  }

  /// Reads until the target closes the connection.
  public void drain() throws IOException {
    byte[] rest = new byte[65_536];
    try {
      int count = in.read(rest);
      while (count >= 0) {
        count = in.read(rest);
      }
    } catch (SocketException _) { // a reset also ends the connection
      return;
    }
  }

  /// Returns the next byte, or -1 at the end of the stream.
  ///
  /// @throws SocketException if the target has reset the connection
  public int read() throws IOException {
    return in.read();
  }

  /// Waits for the next PDU.
  public RawPdu receive() throws IOException {
    RawPdu pdu = receiveOrEnd();
    if (pdu == null) {
      throw new EOFException("The target has closed the connection");
    }
    return pdu;
  }

  /// Returns the next PDU, or null if the target has closed the connection.
  public @Nullable RawPdu receiveOrEnd() throws IOException {
    byte[] header = new byte[48];
    try {
      int first = in.read();
      if (first < 0) {
        return null;
      }
      header[0] = (byte) first;
      in.readFully(header, 1, 47);
    } catch (SocketException _) { // a reset also ends the connection
      return null;
    }
    if (headerDigest) {
      expect(crc32c(header), "header digest");
    }
    int length = ByteBuffer.wrap(header).getInt(4) & 0xFFFFFF;
    byte[] segment = new byte[length + 3 & ~3];
    in.readFully(segment);
    if (dataDigest && length > 0) {
      expect(crc32c(segment), "data digest");
    }
    return new RawPdu(header, Arrays.copyOf(segment, length));
  }

  private void expect(byte[] digest, String what) throws IOException {
    byte[] found = new byte[4];
    in.readFully(found);
    if (!Arrays.equals(digest, found)) {
      throw new IOException("Wrong " + what);
    }
  }

  /// Sends a command and returns all PDUs up to the status of the command.
  public List<RawPdu> answer(RawPdu command) throws IOException {
    send(command);
    return answer(command.tag());
  }

  /// Returns all PDUs up to the status of a task.
  public List<RawPdu> answer(int tag) throws IOException {
    List<RawPdu> pdus = new ArrayList<>();
    while (true) {
      RawPdu pdu = receive();
      pdus.add(pdu);
      boolean status =
          pdu.opcode() == RawPdu.SCSI_RESPONSE
              || (pdu.opcode() == RawPdu.DATA_IN && (pdu.flags() & 1) != 0);
      if (status && pdu.tag() == tag) {
        return pdus;
      }
    }
  }

  /// Returns a buffer that contains the data of each Data-In PDU at the buffer offset of this PDU.
  public static byte[] data(List<RawPdu> pdus, int length) {
    byte[] data = new byte[length];
    for (RawPdu pdu : pdus) {
      if (pdu.opcode() == RawPdu.DATA_IN) {
        System.arraycopy(pdu.data(), 0, data, pdu.intAt(40), pdu.data().length);
      }
    }
    return data;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

package dev.pvcpopulators.iscsitarget.pdu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginResponse;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import dev.pvcpopulators.iscsitarget.pdu.login.TextResponse;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Compares the headers of the target's PDUs with headers that were written by hand from RFC 7143,
/// section 11.
class TargetPduTest {
  /// Writes a header into a buffer of 0xFF bytes, so that the test detects a reserved byte that is
  /// not set to zero.
  private static void assertWrites(String expected, Consumer<ByteBuffer> writer) {
    ByteBuffer into = ByteBuffer.allocate(PduFormat.BHS_LENGTH);
    Arrays.fill(into.array(), (byte) 0xFF);
    writer.accept(into);
    assertEquals(PduFormat.BHS_LENGTH, into.position());
    assertEquals(
        HexFormat.of().formatHex(HexBytes.of(expected).array()),
        HexFormat.of().formatHex(into.array()));
  }

  @Test
  void writesScsiResponse() {
    assertWrites(
        """
        21 82 00 00 00 00 00 14 00 00 00 00 00 00 00 00
        11 22 33 44 00 00 00 00 00 00 00 01 00 00 00 02
        00 00 00 03 00 00 00 04 00 00 00 00 ff ff ff ff
        """,
        into ->
            new ScsiResponse(
                    0x11223344, 0, 0, false, true, 0xffffffffL, 0, new SequenceNumbers(1, 2, 3), 4)
                .write(into, 20));
    assertWrites(
        """
        21 8c 01 02 00 00 00 00 00 00 00 00 00 00 00 00
        11 22 33 44 00 00 00 00 00 00 00 01 00 00 00 02
        00 00 00 03 00 00 00 04 80 00 00 00 00 00 02 00
        """,
        into ->
            new ScsiResponse(
                    0x11223344,
                    1,
                    2,
                    true,
                    false,
                    512,
                    0x80000000L,
                    new SequenceNumbers(1, 2, 3),
                    4)
                .write(into, 0));
  }

  @Test
  void writesDataIn() {
    assertWrites(
        """
        25 00 00 00 00 04 00 00 00 00 00 00 00 00 00 00
        11 22 33 44 ff ff ff ff 00 00 00 00 00 00 00 02
        00 00 00 03 00 00 00 04 80 00 00 00 00 00 00 00
        """,
        into ->
            DataIn.of(false, 0x11223344, new SequenceNumbers(0, 2, 3), 4, 0x80000000L)
                .write(into, 262_144));
    assertWrites(
        """
        25 83 00 00 00 ff ff ff 00 00 00 00 00 00 00 00
        11 22 33 44 ff ff ff ff 00 00 00 09 00 00 00 02
        00 00 00 03 00 00 00 04 00 00 10 00 00 00 00 05
        """,
        into ->
            new DataIn(
                    true, true, false, true, 5, 0x11223344, new SequenceNumbers(9, 2, 3), 4, 4096)
                .write(into, 0xffffff));
    assertWrites(
        """
        25 85 00 00 00 00 00 00 00 00 00 00 00 00 00 00
        11 22 33 44 ff ff ff ff 00 00 00 09 00 00 00 02
        00 00 00 03 00 00 00 04 00 00 10 00 00 00 00 05
        """,
        into ->
            new DataIn(
                    true, true, true, false, 5, 0x11223344, new SequenceNumbers(9, 2, 3), 4, 4096)
                .write(into, 0));
  }

  @Test
  void refusesADataSegmentBeyond24Bits() {
    ByteBuffer into = ByteBuffer.allocate(PduFormat.BHS_LENGTH);
    DataIn dataIn = DataIn.of(false, 0, new SequenceNumbers(0, 0, 0), 0, 0);
    assertThrows(IllegalArgumentException.class, () -> dataIn.write(into, 0x1000000));
    assertThrows(IllegalArgumentException.class, () -> dataIn.write(into, -1));
  }

  @Test
  void writesReadyToTransfer() {
    assertWrites(
        """
        31 80 00 00 00 00 00 00 00 01 00 00 00 00 00 00
        00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04
        00 00 00 05 00 00 00 06 f0 00 00 00 00 04 00 00
        """,
        into ->
            new ReadyToTransfer(
                    0x0001000000000000L,
                    1,
                    2,
                    new SequenceNumbers(3, 4, 5),
                    6,
                    0xf0000000L,
                    262_144)
                .write(into));
  }

  @Test
  void writesTaskManagementResponseAndNopIn() {
    assertWrites(
        """
        22 80 ff 00 00 00 00 00 00 00 00 00 00 00 00 00
        00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 03
        00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00
        """,
        into -> new TaskManagementResponse(255, 1, new SequenceNumbers(2, 3, 4)).write(into));
    assertWrites(
        """
        20 80 00 00 00 00 00 05 00 01 00 00 00 00 00 00
        ff ff ff ff 00 00 00 07 00 00 00 02 00 00 00 03
        00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00
        """,
        into ->
            new NopIn(0x0001000000000000L, PduFormat.NO_TAG, 7, new SequenceNumbers(2, 3, 4))
                .write(into, 5));
  }

  @Test
  void writesLoginResponse() {
    assertWrites(
        """
        23 87 00 00 00 00 00 11 80 f5 9b da 00 01 ff fe
        62 de 7a 83 00 00 00 00 00 00 00 01 00 00 00 02
        00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00
        """,
        into ->
            new LoginResponse(
                    true,
                    false,
                    1,
                    3,
                    0x80f59bda0001L,
                    0xfffe,
                    0x62de7a83,
                    new SequenceNumbers(1, 2, 3),
                    LoginStatus.SUCCESS)
                .write(into, 17));
    assertWrites(
        """
        23 44 00 00 00 00 00 00 00 00 00 00 00 01 00 00
        62 de 7a 83 00 00 00 00 00 00 00 01 00 00 00 02
        00 00 00 03 02 0a 00 00 00 00 00 00 00 00 00 00
        """,
        into ->
            new LoginResponse(
                    false,
                    true,
                    1,
                    0,
                    1,
                    0,
                    0x62de7a83,
                    new SequenceNumbers(1, 2, 3),
                    LoginStatus.SESSION_DOES_NOT_EXIST)
                .write(into, 0));
  }

  @Test
  void writesTextAndLogoutResponse() {
    assertWrites(
        """
        24 80 00 00 00 00 00 0b 00 00 00 00 00 00 00 00
        00 00 00 01 ff ff ff ff 00 00 00 02 00 00 00 03
        00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00
        """,
        into ->
            new TextResponse(true, false, 0, 1, PduFormat.NO_TAG, new SequenceNumbers(2, 3, 4))
                .write(into, 11));
    assertWrites(
        """
        24 40 00 00 00 00 02 00 00 00 00 00 00 00 00 00
        00 00 00 01 00 00 00 09 00 00 00 02 00 00 00 03
        00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00
        """,
        into ->
            new TextResponse(false, true, 0, 1, 9, new SequenceNumbers(2, 3, 4)).write(into, 512));
    assertWrites(
        """
        26 80 02 00 00 00 00 00 00 00 00 00 00 00 00 00
        00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 03
        00 00 00 04 00 00 00 00 00 02 ff ff 00 00 00 00
        """,
        into ->
            new LogoutResponse(
                    LogoutResponse.RECOVERY_NOT_SUPPORTED,
                    1,
                    new SequenceNumbers(2, 3, 4),
                    2,
                    65_535)
                .write(into));
  }

  @Test
  void writesAsynchronousMessageAndReject() {
    assertWrites(
        """
        32 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00
        ff ff ff ff 00 00 00 00 00 00 00 02 00 00 00 03
        00 00 00 04 01 00 00 00 00 00 00 0a 00 00 00 00
        """,
        into ->
            AsynchronousMessage.logoutRequested(new SequenceNumbers(2, 3, 4), 10).write(into, 0));
    assertWrites(
        """
        32 80 00 00 00 00 00 14 00 01 00 00 00 00 00 00
        ff ff ff ff 00 00 00 00 00 00 00 02 00 00 00 03
        00 00 00 04 ff 00 00 01 00 02 00 03 00 00 00 00
        """,
        into ->
            new AsynchronousMessage(0x0001000000000000L, new SequenceNumbers(2, 3, 4), 255, 1, 2, 3)
                .write(into, 20));
    assertWrites(
        """
        3f 80 09 00 00 00 00 30 00 00 00 00 00 00 00 00
        ff ff ff ff 00 00 00 00 00 00 00 02 00 00 00 03
        00 00 00 04 00 00 00 05 00 00 00 00 00 00 00 00
        """,
        into ->
            new Reject(RejectReason.INVALID_PDU_FIELD, new SequenceNumbers(2, 3, 4), 5)
                .write(into, 48));
  }
}

package dev.pvcpopulators.iscsitarget.pdu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.iscsitarget.pdu.login.LoginRequest;
import dev.pvcpopulators.iscsitarget.pdu.login.TextRequest;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Tests the parsing of headers that were written by hand from RFC 7143, section 11.
class InitiatorPduTest {
  private static <T> T read(Function<ByteBuffer, T> reader, String digits) {
    ByteBuffer bytes = HexBytes.within(digits);
    int position = bytes.position();
    T pdu = reader.apply(bytes);
    assertEquals(position, bytes.position(), "a header is read in place");
    return pdu;
  }

  @Test
  void readsTheCommandOfTheSpecificationsDigestExample() {
    ScsiCommand command =
        read(
            ScsiCommand::read,
            """
            01 c0 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            14 00 00 00 00 00 04 00 00 00 00 14 00 00 00 18
            28 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00
            """);
    assertEquals(
        new ScsiCommand(
            false,
            true,
            true,
            false,
            0,
            0,
            0x14000000,
            1024,
            0x14,
            0x18,
            0x28000000_00000000L,
            0x02000000_00000000L,
            0),
        command);
  }

  @Test
  void readsAllFieldsOfACommandUnsigned() {
    ScsiCommand command =
        read(
            ScsiCommand::read,
            """
            41 27 ff ff 02 fe dc ba 80 01 02 03 04 05 06 07
            fe dc ba 98 ff ff ff ff f0 00 00 01 f0 00 00 02
            8a 01 02 03 04 05 06 07 88 89 8a 8b 8c 8d 8e 8f
            """);
    assertEquals(
        new ScsiCommand(
            true,
            false,
            false,
            true,
            7,
            0x8001020304050607L,
            0xfedcba98,
            4_294_967_295L,
            0xf0000001,
            0xf0000002,
            0x8a01020304050607L,
            0x88898a8b8c8d8e8fL,
            0xfedcba),
        command);
    ByteBuffer cdb = ByteBuffer.allocate(ScsiCommand.CDB_LENGTH);
    command.putCdb(cdb);
    assertEquals(
        "8a0102030405060788898a8b8c8d8e8f", HexFormat.of().formatHex(cdb.array()), "the CDB");
  }

  @Test
  void readsDataOut() {
    assertEquals(
        new DataOut(true, 0x0001000000000000L, 0x11223344, 0x55667788, 0x99, 3, 0xfffffe00L, 512),
        read(
            DataOut::read,
            """
            05 80 00 00 00 00 02 00 00 01 00 00 00 00 00 00
            11 22 33 44 55 66 77 88 00 00 00 00 00 00 00 99
            00 00 00 00 00 00 00 03 ff ff fe 00 00 00 00 00
            """));
  }

  @Test
  void readsTaskManagement() {
    assertEquals(
        new TaskManagementRequest(
            true, TaskManagementRequest.ABORT_TASK, 0x0002000000000000L, 1, 2, 3, 4, 5, 6),
        read(
            TaskManagementRequest::read,
            """
            42 81 00 00 00 00 00 00 00 02 00 00 00 00 00 00
            00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04
            00 00 00 05 00 00 00 06 00 00 00 00 00 00 00 00
            """));
  }

  @Test
  void readsNopOut() {
    assertEquals(
        new NopOut(true, 0x0003000000000000L, 0xffffffff, 7, 8, 9, 4),
        read(
            NopOut::read,
            """
            40 80 00 00 00 00 00 04 00 03 00 00 00 00 00 00
            ff ff ff ff 00 00 00 07 00 00 00 08 00 00 00 09
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            """));
  }

  @Test
  void readsTheLoginRequestThatLibiscsiSends() {
    assertEquals(
        new LoginRequest(
            true,
            false,
            LoginRequest.LOGIN_OPERATIONAL_NEGOTIATION,
            LoginRequest.FULL_FEATURE_PHASE,
            0,
            0,
            0x80f59bda0000L,
            0,
            0x62de7a83,
            0,
            0x39d232b6,
            1,
            0x1ae),
        read(
            LoginRequest::read,
            """
            43 87 00 00 00 00 01 ae 80 f5 9b da 00 00 00 00
            62 de 7a 83 00 00 00 00 39 d2 32 b6 00 00 00 01
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            """));
  }

  @Test
  void readsAllFieldsOfALoginRequest() {
    assertEquals(
        new LoginRequest(
            false, true, 2, 1, 0xfe, 0xfd, 0x010203040506L, 0xfffe, 1, 0xfffc, 2, 3, 0),
        read(
            LoginRequest::read,
            """
            43 49 fe fd 00 00 00 00 01 02 03 04 05 06 ff fe
            00 00 00 01 ff fc 00 00 00 00 00 02 00 00 00 03
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            """));
  }

  @Test
  void readsTextAndLogout() {
    assertEquals(
        new TextRequest(true, true, true, 1, 2, 3, 4, 5, 6),
        read(
            TextRequest::read,
            """
            44 c0 00 00 00 00 00 06 00 00 00 00 00 00 00 01
            00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 05
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            """));
    assertEquals(
        new LogoutRequest(true, LogoutRequest.CLOSE_CONNECTION, 2, 0xabcd, 4, 5),
        read(
            LogoutRequest::read,
            """
            46 81 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            00 00 00 02 ab cd 00 00 00 00 00 04 00 00 00 05
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            """));
  }
}

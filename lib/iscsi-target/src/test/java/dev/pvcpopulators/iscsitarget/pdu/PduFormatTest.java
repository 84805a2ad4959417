package dev.pvcpopulators.iscsitarget.pdu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PduFormatTest {
  @Test
  void readsFieldsOfEveryHeader() {
    ByteBuffer bhs =
        HexBytes.within(
            """
            c1 80 00 00 ff ff ff fe 00 00 00 00 00 00 00 00
            fe dc ba 98 00 00 00 00 00 00 00 00 00 00 00 00
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            """);
    assertEquals(Opcode.SCSI_COMMAND, PduFormat.opcode(bhs));
    assertTrue(PduFormat.immediate(bhs));
    assertTrue(PduFormat.isFinal(bhs));
    assertEquals(1020, PduFormat.totalAhsLength(bhs), "255 words");
    assertEquals(0xfffffe, PduFormat.dataSegmentLength(bhs));
    assertEquals(0xfedcba98, PduFormat.initiatorTaskTag(bhs));
  }

  @Test
  void knowsTheOpcodesOfTheSpecificationAndNoOther() {
    int known = 0;
    for (int code = 0; code < 64; code++) {
      Opcode opcode = Opcode.of(code);
      if (opcode != null) {
        assertEquals(code, opcode.code());
        known++;
      }
    }
    assertEquals(18, known);
    assertNull(Opcode.of(0x1c), "vendor specific");
    assertTrue(Opcode.SNACK_REQUEST.fromInitiator());
    assertFalse(Opcode.NOP_IN.fromInitiator());
  }

  @Test
  void padsToWords() {
    int[] padding = {0, 3, 2, 1, 0};
    for (int length = 0; length < padding.length; length++) {
      assertEquals(padding[length], PduFormat.padding(length));
      assertEquals(length + padding[length], PduFormat.padded(length));
    }
    assertEquals(0x1000000, PduFormat.padded(PduFormat.MAX_DATA_SEGMENT_LENGTH));
  }
}

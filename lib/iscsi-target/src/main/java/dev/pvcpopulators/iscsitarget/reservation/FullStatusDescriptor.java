package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The descriptor of a registration in READ FULL STATUS (SPC-4, table 225), with the TransportID of
/// an iSCSI initiator port (table 505).
///
/// |  Byte | Meaning                                                            |
/// |------:|--------------------------------------------------------------------|
/// |   0–7 | reservation key                                                    |
/// |    12 | ALL_TG_PT, R_HOLDER                                                |
/// |    13 | scope and type, if the port is a holder                            |
/// | 18–19 | relative target port identifier                                    |
/// | 20–23 | additional descriptor length                                       |
/// |    24 | TransportID: format 01b, protocol 5h                               |
/// | 26–27 | additional length of the TransportID, a multiple of 4, at least 20 |
/// |   28– | `name,i,0xISID`, a terminating zero byte, padding with zeros       |
final class FullStatusDescriptor {
  private static final int HEADER = 24;
  private static final int TRANSPORT_ID_HEADER = 4;
  private static final int SHORTEST_NAME = 20;
  private static final int FORMAT_WITH_ISID = 0x40;
  private static final int PROTOCOL_ISCSI = 0x05;
  private static final int ALL_TG_PT = 0x02;
  private static final int R_HOLDER = 0x01;

  private FullStatusDescriptor() {}

  /// Returns the number of bytes that [#write] writes.
  static int length(InitiatorPort port) {
    return HEADER + TRANSPORT_ID_HEADER + nameLength(port);
  }

  private static int nameLength(InitiatorPort port) {
    int terminated = port.toString().getBytes(StandardCharsets.UTF_8).length + 1;
    return Math.max(SHORTEST_NAME, (terminated + Integer.BYTES - 1) & -Integer.BYTES);
  }

  /// Writes the descriptor of a registration.
  ///
  /// @param held the reservation if the port is a holder; else null
  static void write(
      ByteBuffer into, InitiatorPort port, Registration registration, @Nullable Reservation held) {
    int nameLength = nameLength(port);
    into.putLong(registration.key()).putInt(0);
    into.put(
        (byte) ((registration.allTargetPorts() ? ALL_TG_PT : 0) | (held == null ? 0 : R_HOLDER)));
    into.put((byte) (held == null ? 0 : held.type().code()));
    into.putInt(0);
    into.putShort((short) Nexus.RELATIVE_TARGET_PORT);
    into.putInt(TRANSPORT_ID_HEADER + nameLength);
    into.put((byte) (FORMAT_WITH_ISID | PROTOCOL_ISCSI)).put((byte) 0).putShort((short) nameLength);
    byte[] name = port.toString().getBytes(StandardCharsets.UTF_8);
    into.put(name).put(new byte[nameLength - name.length]);
  }
}

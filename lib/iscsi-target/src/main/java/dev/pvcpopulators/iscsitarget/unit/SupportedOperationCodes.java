package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.BriefCommand;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// REPORT SUPPORTED OPERATION CODES (SPC-4, section 6.35).
///
/// @param table a supplier, because the table is complete only after this command was added to it
record SupportedOperationCodes(Supplier<CommandTable> table) implements BriefCommand {
  private static final int OPTIONS_FIELD = 2;
  private static final int RCTD = 0x80;
  private static final int REPORTING_OPTIONS_MASK = 0x07;
  private static final int OPCODE_FIELD = 3;
  private static final int SERVICE_ACTION_FIELD = 4;
  private static final int ALLOCATION_LENGTH_FIELD = 6;

  private static final int LIST_HEADER = 4;
  private static final int DESCRIPTOR = 8;
  private static final int ONE_COMMAND_HEADER = 4;
  private static final int TIMEOUTS_DESCRIPTOR = 12;
  private static final int TIMEOUTS_LENGTH = TIMEOUTS_DESCRIPTOR - Short.BYTES;

  private static final int CTDP_IN_LIST = 0x02;
  private static final int SERVACTV = 0x01;
  private static final int CTDP_OF_ONE = 0x80;
  private static final int SUPPORTED = 0x03;
  private static final int NOT_SUPPORTED = 0x01;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    boolean timeouts = (cdb.get(OPTIONS_FIELD) & RCTD) != 0;
    int opcode = cdb.get(OPCODE_FIELD) & 0xFF;
    int action = cdb.getShort(SERVICE_ACTION_FIELD) & 0xFFFF;
    boolean withActions = table.get().hasServiceActions(opcode);
    byte @Nullable [] data =
        switch (cdb.get(OPTIONS_FIELD) & REPORTING_OPTIONS_MASK) {
          case 0 -> all(timeouts);
          case 1 -> withActions ? null : one(table.get().of(opcode, 0), timeouts);
          case 2 ->
              table.get().of(opcode, 0) != null && !withActions
                  ? null
                  : one(table.get().of(opcode, action), timeouts);
          case 3 ->
              one(withActions || action == 0 ? table.get().of(opcode, action) : null, timeouts);
          default -> null;
        };
    return data == null
        ? Response.invalidField(OPTIONS_FIELD)
        : ParameterData.send(task, data, cdb.getInt(ALLOCATION_LENGTH_FIELD) & 0xFFFF_FFFFL);
  }

  /// Returns the parameter data for all commands (table 287).
  private byte[] all(boolean timeouts) {
    int each = DESCRIPTOR + (timeouts ? TIMEOUTS_DESCRIPTOR : 0);
    int length = table.get().all().size() * each;
    ByteBuffer data = ByteBuffer.allocate(LIST_HEADER + length).putInt(length);
    for (CommandEntry command : table.get().all()) {
      int action = command.serviceAction();
      data.put((byte) command.opcode()).put((byte) 0);
      data.putShort((short) Math.max(action, 0)).put((byte) 0);
      data.put((byte) ((timeouts ? CTDP_IN_LIST : 0) | (action >= 0 ? SERVACTV : 0)));
      data.putShort((short) command.length());
      if (timeouts) {
        putTimeouts(data);
      }
    }
    return data.array();
  }

  /// Returns the parameter data for one command (table 290).
  private static byte[] one(@Nullable CommandEntry command, boolean timeouts) {
    if (command == null) {
      return new byte[] {0, NOT_SUPPORTED, 0, 0};
    }
    ByteBuffer data =
        ByteBuffer.allocate(
            ONE_COMMAND_HEADER + command.length() + (timeouts ? TIMEOUTS_DESCRIPTOR : 0));
    data.put((byte) 0).put((byte) ((timeouts ? CTDP_OF_ONE : 0) | SUPPORTED));
    data.putShort((short) command.length()).put(command.usageBytes());
    if (timeouts) {
      putTimeouts(data);
    }
    return data.array();
  }

  /// Writes a command time-outs descriptor (table 292). The time-outs are zero, which means "not
  /// specified".
  private static void putTimeouts(ByteBuffer into) {
    into.putShort((short) TIMEOUTS_LENGTH).put(new byte[TIMEOUTS_LENGTH]);
  }
}

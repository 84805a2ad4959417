package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import java.util.List;

/// The table of a block device's commands (SBC-3, table 33), with what each evaluates of its CDB.
final class BlockCommands {
  private BlockCommands() {}

  static List<CommandEntry> of(Blocks blocks) {
    BackgroundFlush background = new BackgroundFlush(blocks);
    return List.of(
        reads(0x08, "READ (6)", "08 1f ff ff ff 04", new Read(blocks, Cdb.SIX)),
        reads(0x28, "READ (10)", "28 f8 ff ff ff ff 00 ff ff 04", new Read(blocks, Cdb.TEN)),
        reads(
            0xA8, "READ (12)", "a8 f8 ff ff ff ff ff ff ff ff 00 04", new Read(blocks, Cdb.TWELVE)),
        reads(
            0x88,
            "READ (16)",
            "88 f8 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new Read(blocks, Cdb.SIXTEEN)),
        writes(0x0A, "WRITE (6)", "0a 1f ff ff ff 04", new Write(blocks, Cdb.SIX)),
        writes(0x2A, "WRITE (10)", "2a f8 ff ff ff ff 00 ff ff 04", new Write(blocks, Cdb.TEN)),
        writes(
            0xAA,
            "WRITE (12)",
            "aa f8 ff ff ff ff ff ff ff ff 00 04",
            new Write(blocks, Cdb.TWELVE)),
        writes(
            0x8A,
            "WRITE (16)",
            "8a f8 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new Write(blocks, Cdb.SIXTEEN)),
        CommandEntry.of(
            0x25,
            "READ CAPACITY (10)",
            "25 00 00 00 00 00 00 00 00 04",
            ReservationClass.UNAFFECTED,
            new ReadCapacity(blocks, Cdb.TEN)),
        CommandEntry.of(
            0x9E,
            ReadCapacity.SERVICE_ACTION,
            "READ CAPACITY (16)",
            "9e 10 00 00 00 00 00 00 00 00 ff ff ff ff 00 04",
            ReservationClass.UNAFFECTED,
            new ReadCapacity(blocks, Cdb.SIXTEEN)),
        writes(
            0x35,
            "SYNCHRONIZE CACHE (10)",
            "35 02 ff ff ff ff 00 ff ff 04",
            new SynchronizeCache(blocks, Cdb.TEN, background)),
        writes(
            0x91,
            "SYNCHRONIZE CACHE (16)",
            "91 02 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new SynchronizeCache(blocks, Cdb.SIXTEEN, background)));
  }

  private static CommandEntry reads(int opcode, String name, String usage, Command command) {
    return CommandEntry.of(opcode, name, usage, ReservationClass.READ, command);
  }

  private static CommandEntry writes(int opcode, String name, String usage, Command command) {
    return CommandEntry.of(opcode, name, usage, ReservationClass.WRITE, command);
  }
}

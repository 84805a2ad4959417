package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import java.util.List;
import java.util.stream.Stream;

/// The command table of a block device (SBC-3, table 33): for each command, the bits of its CDB
/// that are evaluated, and how reservations treat it (SBC-3, table 12).
final class BlockCommands {
  private final BlockDevice blocks;

  BlockCommands(BlockDevice blocks) {
    this.blocks = blocks;
  }

  List<CommandEntry> all(Readiness readiness, boolean removable) {
    return Stream.of(
            reading(),
            writing(),
            verifying(),
            indivisible(),
            provisioning(),
            caching(),
            about(),
            sanitize(new Sanitizing(blocks, readiness)),
            medium(readiness, removable))
        .flatMap(List::stream)
        .toList();
  }

  private List<CommandEntry> reading() {
    return List.of(
        reads("READ (6)", "08 1f ff ff ff 04", new Read(blocks, Cdb.SIX)),
        reads("READ (10)", "28 f8 ff ff ff ff 00 ff ff 04", new Read(blocks, Cdb.TEN)),
        reads("READ (12)", "a8 f8 ff ff ff ff ff ff ff ff 00 04", new Read(blocks, Cdb.TWELVE)),
        reads(
            "READ (16)",
            "88 f8 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new Read(blocks, Cdb.SIXTEEN)));
  }

  private List<CommandEntry> writing() {
    return List.of(
        writes("WRITE (6)", "0a 1f ff ff ff 04", new Write(blocks, Cdb.SIX)),
        writes("WRITE (10)", "2a f8 ff ff ff ff 00 ff ff 04", new Write(blocks, Cdb.TEN)),
        writes("WRITE (12)", "aa f8 ff ff ff ff ff ff ff ff 00 04", new Write(blocks, Cdb.TWELVE)),
        writes(
            "WRITE (16)",
            "8a f8 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new Write(blocks, Cdb.SIXTEEN)));
  }

  private List<CommandEntry> verifying() {
    return List.of(
        reads("VERIFY (10)", "2f f6 ff ff ff ff 00 ff ff 04", new Verify(blocks, Cdb.TEN)),
        reads("VERIFY (12)", "af f6 ff ff ff ff ff ff ff ff 00 04", new Verify(blocks, Cdb.TWELVE)),
        reads(
            "VERIFY (16)",
            "8f f6 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new Verify(blocks, Cdb.SIXTEEN)),
        writes(
            "WRITE AND VERIFY (10)",
            "2e f6 ff ff ff ff 00 ff ff 04",
            new WriteAndVerify(blocks, Cdb.TEN)),
        writes(
            "WRITE AND VERIFY (12)",
            "ae f6 ff ff ff ff ff ff ff ff 00 04",
            new WriteAndVerify(blocks, Cdb.TWELVE)),
        writes(
            "WRITE AND VERIFY (16)",
            "8e f6 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new WriteAndVerify(blocks, Cdb.SIXTEEN)));
  }

  private List<CommandEntry> indivisible() {
    return List.of(
        writes(
            "COMPARE AND WRITE",
            "89 f8 ff ff ff ff ff ff ff ff 00 00 00 ff 00 04",
            new CompareAndWrite(blocks)),
        writes(
            "ORWRITE (16)", "8b f8 ff ff ff ff ff ff ff ff ff ff ff ff 00 04", new OrWrite(blocks)),
        writes(
            "WRITE ATOMIC (16)",
            "9c f8 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new WriteAtomic(blocks)));
  }

  private List<CommandEntry> provisioning() {
    return List.of(
        writes("WRITE SAME (10)", "41 fe ff ff ff ff 00 ff ff 04", new WriteSame(blocks, Cdb.TEN)),
        writes(
            "WRITE SAME (16)",
            "93 ff ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new WriteSame(blocks, Cdb.SIXTEEN)),
        writes("UNMAP", "42 01 00 00 00 00 00 ff ff 04", new Unmap(blocks)),
        CommandEntry.ofAction(
            "GET LBA STATUS",
            "9e 12 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            ReservationClass.READ,
            new LbaStatus(blocks)));
  }

  private List<CommandEntry> caching() {
    BackgroundFlush background = new BackgroundFlush(blocks);
    return List.of(
        writes(
            "SYNCHRONIZE CACHE (10)",
            "35 02 ff ff ff ff 00 ff ff 04",
            new SynchronizeCache(blocks, Cdb.TEN, background)),
        writes(
            "SYNCHRONIZE CACHE (16)",
            "91 02 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new SynchronizeCache(blocks, Cdb.SIXTEEN, background)),
        reads("PRE-FETCH (10)", "34 02 ff ff ff ff 00 ff ff 04", new PreFetch(blocks, Cdb.TEN)),
        reads(
            "PRE-FETCH (16)",
            "90 02 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            new PreFetch(blocks, Cdb.SIXTEEN)));
  }

  private List<CommandEntry> about() {
    return List.of(
        CommandEntry.of(
            "READ CAPACITY (10)",
            "25 00 00 00 00 00 00 00 00 04",
            ReservationClass.UNAFFECTED,
            new ReadCapacity(blocks, Cdb.TEN)),
        CommandEntry.ofAction(
            "READ CAPACITY (16)",
            "9e 10 00 00 00 00 00 00 00 00 ff ff ff ff 00 04",
            ReservationClass.UNAFFECTED,
            new ReadCapacity(blocks, Cdb.SIXTEEN)),
        reads(
            "READ DEFECT DATA (10)", "37 00 1f 00 00 00 00 ff ff 04", new ReadDefectData(Cdb.TEN)),
        reads(
            "READ DEFECT DATA (12)",
            "b7 1f 00 00 00 00 ff ff ff ff 00 04",
            new ReadDefectData(Cdb.TWELVE)));
  }

  private List<CommandEntry> sanitize(Sanitizing sanitizing) {
    return List.of(
        sanitize(
            sanitizing, Sanitize.OVERWRITE, "SANITIZE, OVERWRITE", "48 a1 00 00 00 00 00 ff ff 04"),
        sanitize(
            sanitizing,
            Sanitize.BLOCK_ERASE,
            "SANITIZE, BLOCK ERASE",
            "48 a2 00 00 00 00 00 ff ff 04"),
        sanitize(
            sanitizing,
            Sanitize.CRYPTOGRAPHIC_ERASE,
            "SANITIZE, CRYPTOGRAPHIC ERASE",
            "48 a3 00 00 00 00 00 ff ff 04"),
        sanitize(
            sanitizing,
            Sanitize.EXIT_FAILURE_MODE,
            "SANITIZE, EXIT FAILURE MODE",
            "48 1f 00 00 00 00 00 ff ff 04"));
  }

  private CommandEntry sanitize(
      Sanitizing sanitizing, int serviceAction, String name, String usage) {
    return CommandEntry.ofAction(
        name, usage, ReservationClass.WRITE, new Sanitize(blocks, sanitizing, serviceAction));
  }

  private List<CommandEntry> medium(Readiness readiness, boolean removable) {
    return List.of(
        writes(
            "START STOP UNIT",
            "1b 00 00 00 f7 04",
            new StartStopUnit(blocks, readiness, removable)),
        writes(
            "PREVENT ALLOW MEDIUM REMOVAL",
            "1e 00 00 00 03 04",
            new PreventAllowMediumRemoval(readiness)));
  }

  private static CommandEntry reads(String name, String usage, Command command) {
    return CommandEntry.of(name, usage, ReservationClass.READ, command);
  }

  private static CommandEntry writes(String name, String usage, Command command) {
    return CommandEntry.of(name, usage, ReservationClass.WRITE, command);
  }
}

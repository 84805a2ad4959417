package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import java.util.List;
import java.util.stream.Stream;

/// The command table of a block device (SBC-3, table 33): for each command, the bits of its CDB
/// that are evaluated, and how reservations affect the command (SBC-3, table 12).
record BlockCommands(BlockDevice blocks) {
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
        reads("READ", 0x08, 0x1f, Read::new),
        reads("READ", 0x28, 0xf8, Read::new),
        reads("READ", 0xa8, 0xf8, Read::new),
        reads("READ", 0x88, 0xf8, Read::new));
  }

  private List<CommandEntry> writing() {
    return List.of(
        writes("WRITE", 0x0a, 0x1f, Write::new),
        writes("WRITE", 0x2a, 0xf8, Write::new),
        writes("WRITE", 0xaa, 0xf8, Write::new),
        writes("WRITE", 0x8a, 0xf8, Write::new));
  }

  private List<CommandEntry> verifying() {
    return List.of(
        reads("VERIFY", 0x2f, 0xf6, Verify::new),
        reads("VERIFY", 0xaf, 0xf6, Verify::new),
        reads("VERIFY", 0x8f, 0xf6, Verify::new),
        writes("WRITE AND VERIFY", 0x2e, 0xf6, WriteAndVerify::new),
        writes("WRITE AND VERIFY", 0xae, 0xf6, WriteAndVerify::new),
        writes("WRITE AND VERIFY", 0x8e, 0xf6, WriteAndVerify::new));
  }

  private List<CommandEntry> indivisible() {
    return List.of(
        writes(
            "COMPARE AND WRITE",
            "89 f8 ff ff ff ff ff ff ff ff 00 00 00 ff 00 04",
            new CompareAndWrite(blocks)),
        writes("ORWRITE", 0x8b, 0xf8, (device, _) -> new OrWrite(device)),
        writes("WRITE ATOMIC", 0x9c, 0xf8, (device, _) -> new WriteAtomic(device)));
  }

  private List<CommandEntry> provisioning() {
    return List.of(
        writes("WRITE SAME", 0x41, 0xfe, WriteSame::new),
        writes("WRITE SAME", 0x93, 0xff, WriteSame::new),
        writes("UNMAP", "42 01 00 00 00 00 00 ff ff 04", new Unmap(blocks)),
        CommandEntry.ofAction(
            "GET LBA STATUS",
            "9e 12 ff ff ff ff ff ff ff ff ff ff ff ff 00 04",
            ReservationClass.READ,
            new LbaStatus(blocks)));
  }

  private List<CommandEntry> caching() {
    BackgroundFlush background = new BackgroundFlush(blocks);
    Sized synchronizing = (device, form) -> new SynchronizeCache(device, form, background);
    return List.of(
        writes("SYNCHRONIZE CACHE", 0x35, 0x02, synchronizing),
        writes("SYNCHRONIZE CACHE", 0x91, 0x02, synchronizing),
        reads("PRE-FETCH", 0x34, 0x02, PreFetch::new),
        reads("PRE-FETCH", 0x90, 0x02, PreFetch::new));
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
        sanitize(sanitizing, Sanitize.OVERWRITE, "OVERWRITE", "a1"),
        sanitize(sanitizing, Sanitize.BLOCK_ERASE, "BLOCK ERASE", "a2"),
        sanitize(sanitizing, Sanitize.CRYPTOGRAPHIC_ERASE, "CRYPTOGRAPHIC ERASE", "a3"),
        sanitize(sanitizing, Sanitize.EXIT_FAILURE_MODE, "EXIT FAILURE MODE", "1f"));
  }

  private CommandEntry sanitize(
      Sanitizing sanitizing, int serviceAction, String name, String flags) {
    return CommandEntry.ofAction(
        "SANITIZE, " + name,
        "48 " + flags + " 00 00 00 00 00 ff ff 04",
        ReservationClass.WRITE,
        new Sanitize(blocks, sanitizing, serviceAction));
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

  /// Creates a command whose CDBs have a given size.
  @FunctionalInterface
  private interface Sized {
    Command of(BlockDevice blocks, Cdb form);
  }

  private CommandEntry reads(String name, int opcode, int flags, Sized command) {
    return sized(name, opcode, flags, ReservationClass.READ, command);
  }

  private CommandEntry writes(String name, int opcode, int flags, Sized command) {
    return sized(name, opcode, flags, ReservationClass.WRITE, command);
  }

  private CommandEntry sized(
      String name, int opcode, int flags, ReservationClass affected, Sized command) {
    Cdb form = Cdb.of(opcode);
    return CommandEntry.of(
        form.named(name), form.usage(opcode, flags), affected, command.of(blocks, form));
  }

  private static CommandEntry reads(String name, String usage, Command command) {
    return CommandEntry.of(name, usage, ReservationClass.READ, command);
  }

  private static CommandEntry writes(String name, String usage, Command command) {
    return CommandEntry.of(name, usage, ReservationClass.WRITE, command);
  }
}

package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.ReadyToTransfer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A SCSI command that the initiator has sent, and its progress from the initiator's view.
final class SentCommand {
  private static final int SERVICE_ACTION_MASK = 0x1F;
  private static final long WHOLE = Long.MAX_VALUE / 2;

  final int tag;
  final long lun;
  final boolean reads;
  final boolean writes;
  final long expected;
  final @Nullable WatchedMedium medium;

  private final ByteBuffer cdb;

  /// The R2T for which the initiator has not sent all data; null if there is none.
  @Nullable ReadyToTransfer request;

  /// True if unsolicited data must follow.
  boolean unsolicited;

  int nextDataSn;
  long nextOffset;
  int dataIns;
  int requests;
  long received;

  /// Parses a command.
  ///
  /// @param header the whole header of the SCSI Command
  /// @param medium the medium of the addressed logical unit, null if there is none
  SentCommand(ByteBuffer header, @Nullable WatchedMedium medium) {
    this.tag = header.getInt(16);
    this.lun = header.getLong(8);
    this.reads = (header.get(1) & 0x40) != 0;
    this.writes = (header.get(1) & 0x20) != 0;
    this.expected = Integer.toUnsignedLong(header.getInt(20));
    this.unsolicited = writes && (header.get(1) & 0x80) == 0;
    this.nextOffset = header.getInt(4) & 0xFF_FFFF;
    this.cdb = ByteBuffer.allocate(16).put(header.slice(32, 16)).flip();
    this.medium = medium;
  }

  int opcode() {
    return cdb.get(0) & 0xFF;
  }

  /// Returns whether the command reads the content of blocks.
  boolean readsBlocks() {
    return switch (opcode()) {
      case 0x08, 0x28, 0xA8, 0x88 -> true;
      default -> false;
    };
  }

  /// Returns whether the command may change blocks.
  boolean changes() {
    return changed() != null;
  }

  /// Returns the number of the first block that the command addresses. The CDB must contain this
  /// number at the position that is usual in SBC-3.
  long lba() {
    return switch (opcode() >> 5) {
      case 0 -> cdb.getInt(0) & 0x1F_FFFF;
      case 4 -> cdb.getLong(2);
      default -> Integer.toUnsignedLong(cdb.getInt(2));
    };
  }

  /// Permits this command to change its blocks on the medium.
  void permit() {
    Range range = changed();
    if (medium != null && range != null) {
      medium.permit(range.lba(), range.count());
    }
  }

  private record Range(long lba, long count) {}

  /// Returns the range that contains all blocks that the command may change; null if the command
  /// cannot change blocks.
  private @Nullable Range changed() {
    return switch (opcode()) {
      case 0x0A -> new Range(lba(), cdb.get(4) == 0 ? 256 : cdb.get(4) & 0xFF);
      case 0x2A, 0x2E -> new Range(lba(), Short.toUnsignedLong(cdb.getShort(7)));
      case 0xAA, 0xAE -> new Range(lba(), Integer.toUnsignedLong(cdb.getInt(6)));
      case 0x8A, 0x8E, 0x8B -> new Range(lba(), Integer.toUnsignedLong(cdb.getInt(10)));
      case 0x89 -> new Range(cdb.getLong(2), cdb.get(13) & 0xFF);
      case 0x9C -> new Range(cdb.getLong(2), Short.toUnsignedLong(cdb.getShort(12)));
      case 0x41 -> toTheEnd(lba(), Short.toUnsignedLong(cdb.getShort(7)));
      case 0x93 -> toTheEnd(lba(), Integer.toUnsignedLong(cdb.getInt(10)));
      case 0x42, 0x83 -> new Range(0, WHOLE);
      case 0x48 -> (cdb.get(1) & SERVICE_ACTION_MASK) < 4 ? new Range(0, WHOLE) : null;
      default -> null;
    };
  }

  private static Range toTheEnd(long lba, long count) {
    return new Range(lba, count == 0 ? WHOLE : count);
  }

  @Override
  public String toString() {
    return "command %08x to %016x, CDB %032x %016x"
        .formatted(tag, lun, cdb.getLong(0), cdb.getLong(8));
  }
}

package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A direct-access block device (SBC-3) over a medium: logical blocks of 512 bytes, physical blocks
/// of the same size, thin provisioned where the medium can be written.
///
/// Thread-safe: any number of tasks run at once. A command that must see and change blocks in one
/// (COMPARE AND WRITE, ORWRITE, WRITE ATOMIC) excludes the others on the whole device.
public final class BlockDevice {
  /// Bytes of a logical block.
  public static final int BLOCK = 512;

  private final BlockOptions options;
  private final Blocks blocks;
  private final BlockPages pages;
  private final Removal removal = new Removal();
  private final Readiness readiness;
  private final List<CommandEntry> commands;

  /// @param medium owned by the caller
  public BlockDevice(Medium medium, BlockOptions options) {
    this.options = options;
    this.blocks = new Blocks(medium, options);
    this.pages = new BlockPages(blocks);
    Sanitizing sanitizing = new Sanitizing(blocks, options.sanitizeRate());
    this.commands = new BlockCommands(blocks).all(removal, sanitizing, options.removable());
    this.readiness = new Readiness(removal, sanitizing, commands);
  }

  /// The commands of SBC-3, for a logical unit's table, with READ CAPACITY, START STOP UNIT and
  /// PREVENT ALLOW MEDIUM REMOVAL.
  public List<CommandEntry> commands() {
    return commands;
  }

  /// The vital product data pages that block devices have: B0h, B1h, B2h.
  public List<Integer> pages() {
    return BlockPages.codes();
  }

  /// A page, header included; the peripheral qualifier and device type are 0.
  ///
  /// @param code one of [#pages]
  public byte[] page(int code) {
    return pages.page(code);
  }

  public BlockOptions options() {
    return options;
  }

  public Medium medium() {
    return blocks.medium();
  }

  /// Why most commands cannot run now: the medium is ejected (02h, 3Ah/00h), the unit is stopped, a
  /// SANITIZE runs (02h, 04h/1Bh, with progress) or has failed (03h, 31h/03h). The logical unit
  /// asks before each command, also of SPC-4; those that SBC-3 allows in that state get no answer.
  /// For the progress in REQUEST SENSE, ask as TEST UNIT READY.
  public Optional<Sense> notReady(int opcode) {
    return readiness.notReady(opcode);
  }

  /// True where a write would end with DATA PROTECT: the WP bit of the mode parameter header.
  public boolean writeProtected() {
    return blocks.writeProtected();
  }

  /// The control mode page's SWP bit.
  public void softwareWriteProtect(boolean on) {
    blocks.softwareWriteProtect(on);
  }

  /// The caching mode page's WCE bit.
  public void writeCache(boolean on) {
    blocks.writeCache(on);
  }

  /// Back to what it was at first, after a reset: SWP, WCE, the prevention of removal.
  public void reset() {
    blocks.softwareWriteProtect(false);
    blocks.writeCache(options.writeCache());
    removal.reset();
  }

  /// Reads bytes for a command that is not of SBC-3, among those that are.
  ///
  /// @param offset bytes, with what fits the buffer within the medium
  public void read(long offset, ByteBuffer into) throws IOException {
    blocks.read(offset, into);
  }

  /// Writes bytes for a command that is not of SBC-3, among those that are. Whether the device is
  /// write protected is the caller's to ask.
  ///
  /// @param offset bytes, with what is in the buffer within the medium
  /// @return null where they are written, else why nobody may write now
  public @Nullable Response write(long offset, ByteBuffer from) throws IOException {
    return blocks.write(offset, from);
  }

  /// A nexus has ended: it prevents removal no longer.
  public void detach(Nexus nexus) {
    removal.allow(nexus);
  }
}

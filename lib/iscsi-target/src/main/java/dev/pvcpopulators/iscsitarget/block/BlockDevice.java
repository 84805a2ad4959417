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
/// Thread-safe: any number of tasks may run at once. A command that has to read and change blocks
/// atomically (COMPARE AND WRITE, ORWRITE, WRITE ATOMIC) excludes all others on the whole device.
public final class BlockDevice {
  /// The size of a logical block in bytes.
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
    Sanitizing sanitizing = new Sanitizing(blocks);
    this.commands = new BlockCommands(blocks).all(removal, sanitizing, options.removable());
    this.readiness = new Readiness(removal, sanitizing, commands);
  }

  /// Returns the commands of SBC-3 for a logical unit's table, with READ CAPACITY, START STOP UNIT
  /// and PREVENT ALLOW MEDIUM REMOVAL.
  public List<CommandEntry> commands() {
    return commands;
  }

  /// Returns the codes of the vital product data pages of block devices: B0h, B1h, B2h.
  public List<Integer> pages() {
    return BlockPages.codes();
  }

  /// Returns a page with its header; the peripheral qualifier and device type are 0.
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

  /// Returns the reason why most commands cannot run now: the medium is ejected (02h, 3Ah/00h), the
  /// unit is stopped, a SANITIZE runs (02h, 04h/1Bh, with progress) or has failed (03h, 31h/03h).
  /// The logical unit asks before each command, also of SPC-4; for commands that SBC-3 allows in
  /// that state the result is empty. For the progress in REQUEST SENSE, ask as TEST UNIT READY.
  public Optional<Sense> notReady(int opcode) {
    return readiness.notReady(opcode);
  }

  /// Whether a write would end with DATA PROTECT: the WP bit of the mode parameter header.
  public boolean writeProtected() {
    return blocks.writeProtected();
  }

  /// Sets the SWP bit of the control mode page.
  public void softwareWriteProtect(boolean on) {
    blocks.softwareWriteProtect(on);
  }

  /// Sets the WCE bit of the caching mode page.
  public void writeCache(boolean on) {
    blocks.writeCache(on);
  }

  /// Restores the initial state after a reset: SWP, WCE, the prevention of removal.
  public void reset() {
    blocks.softwareWriteProtect(false);
    blocks.writeCache(options.writeCache());
    removal.reset();
  }

  /// Reads bytes for a command that is not of SBC-3, ordered with those that are.
  ///
  /// @param offset in bytes; the range that fills the buffer lies within the medium
  public void read(long offset, ByteBuffer into) throws IOException {
    blocks.read(offset, into);
  }

  /// Writes bytes for a command that is not of SBC-3, ordered with those that are. The caller has
  /// to check whether the device is write protected.
  ///
  /// @param offset in bytes; the range that the buffer holds lies within the medium
  /// @return null if they were written, else the reason to refuse writes now
  public @Nullable Response write(long offset, ByteBuffer from) throws IOException {
    return blocks.write(offset, from);
  }

  /// Ends the prevention of removal by a nexus that has ended.
  public void detach(Nexus nexus) {
    removal.allow(nexus);
  }
}

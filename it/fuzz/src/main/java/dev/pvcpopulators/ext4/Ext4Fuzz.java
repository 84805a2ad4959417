package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.Timestamp;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import dev.pvcpopulators.ext4.structure.Xattr;
import dev.pvcpopulators.fuzz.Feed;
import dev.pvcpopulators.fuzz.Refusal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Fuzzes layers of entries with arbitrary names, attributes and contents. Each entry must be
/// accepted, or be refused with a valid message. If the last entry of a layer is a regular file,
/// the file must contain the written bytes. After the removal of all entries from a copy of the
/// file system, no block or inode may be leaked.
///
/// If the input requests damage, this target changes bytes of the original file system, and removes
/// all entries. This removal may leak blocks and inodes, or may throw an exception of an expected
/// type.
public final class Ext4Fuzz {
  private static final int MOST_ENTRIES = 64;
  private static final int MOST_LENGTH = 1 << 20;
  private static final List<FileType> SPECIAL =
      List.of(FileType.FIFO, FileType.SOCKET, FileType.CHARACTER_DEVICE, FileType.BLOCK_DEVICE);
  private static final List<String> XATTRS =
      List.of(
          "user.",
          "trusted.",
          "security.",
          "security.capability",
          "system.posix_acl_access",
          "system.posix_acl_default",
          "system.",
          "user.a");

  private final Feed feed;
  private Optional<EntryPath> lastFile = Optional.empty();
  private byte[] lastContent = new byte[0];

  /// The names of all symbolic links and hard links that were created, in any directory.
  private final Set<Name> linkNames = new HashSet<>();

  private Ext4Fuzz(Feed feed) {
    this.feed = feed;
  }

  /// Applies the layers, and checks the file system for leaks.
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    Feed feed = new Feed(data);
    int damages = feed.below(8);
    MemoryBlocks device = new Ext4Fuzz(feed).layers();
    Leaks.check(device.copy());
    for (int i = 0; i < damages; i++) {
      damage(feed, device);
    }
    if (damages > 0) {
      try {
        Leaks.check(device);
      } catch (DamagedFileSystemException | FileSystemFullException e) {
        // The damage was detected.
        Refusal.check(e);
      } catch (AssertionError e) {
        // Damage in a block that the removal does not read may cause leaks.
        if (e.getCause() != null) {
          throw e;
        }
      }
    }
  }

  /// Applies the layers until a layer is refused.
  ///
  /// @return a file system that must be consistent
  public static MemoryBlocks apply(byte[] data) throws IOException {
    Feed feed = new Feed(data);
    feed.next();
    return new Ext4Fuzz(feed).layers();
  }

  private MemoryBlocks layers() throws IOException {
    MemoryBlocks device = MemoryBlocks.empty();
    int layers = 1 + feed.below(3);
    for (int i = 0; i < layers; i++) {
      MemoryBlocks next = device.copy();
      lastFile = Optional.empty();
      try (LayerEdit edit = LayerEdit.open(next)) {
        int entries = feed.below(MOST_ENTRIES);
        for (int j = 0; j < entries && feed.left() > 0; j++) {
          entry(edit);
        }
        edit.finish();
      } catch (FileSystemFullException | UnrepresentableException | FileSystemException e) {
        Refusal.check(e);
        // `next` contains a part of the refused layer, and need not be consistent.
        return device;
      }
      device = next;
      checkLastFile(device);
    }
    return device;
  }

  private void checkLastFile(MemoryBlocks device) throws IOException {
    if (lastFile.isPresent()) {
      Optional<byte[]> found = TreeReader.open(device).file(lastFile.get(), MOST_LENGTH);
      // The file may have replaced a link in its own path. For example, if /b is a link to /, the
      // file /b/b replaces this link.
      boolean gone = found.isEmpty() && linkNames.contains(lastFile.get().last());
      if (!gone && !Arrays.equals(found.orElse(null), lastContent)) {
        throw new AssertionError(lastFile.get() + " does not contain the written bytes");
      }
    }
  }

  private void entry(LayerEdit edit) throws IOException {
    int kind = feed.below(9);
    EntryPath path = path();
    lastFile = Optional.empty();
    switch (kind) {
      case 0 -> edit.directory(path, attributes());
      case 1, 2 -> file(edit, path);
      case 3 -> {
        edit.symbolicLink(path, attributes(), Bytes.of(linkTarget()));
        linkNames.add(path.last());
      }
      case 4 -> {
        edit.hardLink(path, path());
        linkNames.add(path.last());
      }
      case 5 -> special(edit, path);
      case 6 -> edit.whiteout(path);
      case 7 -> edit.opaque(path);
      default -> many(edit, path);
    }
  }

  private void file(LayerEdit edit, EntryPath path) throws IOException {
    byte[] data = feed.piece();
    int hole = feed.flag() ? feed.next16() : 0;
    int repeated = feed.flag() ? feed.next() : 1;
    int length = hole + data.length * repeated;
    lastFile = Optional.empty();
    ByteBuffer content = ByteBuffer.allocate(length);
    try (FileContent file = edit.file(path, attributes(), length)) {
      if (hole > 0) {
        file.skip(hole);
        content.position(hole);
      }
      for (int i = 0; i < repeated; i++) {
        file.write(ByteBuffer.wrap(data));
        content.put(data);
      }
    }
    lastFile = Optional.of(path);
    lastContent = content.array();
  }

  private void special(LayerEdit edit, EntryPath path) throws IOException {
    FileType type = SPECIAL.get(feed.below(SPECIAL.size()));
    int major = feed.next16() & DeviceNumber.MAX_MAJOR;
    int minor = feed.next32() & DeviceNumber.MAX_MINOR;
    edit.special(path, attributes(), type, new DeviceNumber(major, minor));
  }

  /// Adds up to 255 symbolic links to one directory, so that the directory may need more blocks.
  private void many(LayerEdit edit, EntryPath path) throws IOException {
    int count = feed.next();
    int length = 1 + feed.below(200);
    for (int i = 0; i < count; i++) {
      Name name = Name.of("%d-%s".formatted(i, "n".repeat(length)));
      edit.symbolicLink(path.child(name), Attributes.IMPLIED_DIRECTORY, Bytes.of((byte) 'x'));
      linkNames.add(name);
    }
  }

  private byte[] linkTarget() {
    return switch (feed.below(4)) {
      case 0 -> feed.piece();
      case 1 -> path().toString().getBytes(StandardCharsets.UTF_8);
      case 2 -> ("../" + path()).getBytes(StandardCharsets.UTF_8);
      default -> feed.take(feed.next16() & 0x1fff);
    };
  }

  private EntryPath path() {
    List<Name> names = new ArrayList<>();
    int depth = feed.below(5);
    for (int i = 0; i < depth; i++) {
      names.add(name());
    }
    return new EntryPath(names);
  }

  private Name name() {
    int choice = feed.next();
    if (choice < 200) {
      return Name.of(String.valueOf((char) ('a' + choice % 5)));
    }
    byte[] bytes = feed.take(choice == 255 ? 255 : choice % 16);
    try {
      return Name.of(bytes);
    } catch (IllegalArgumentException _) {
      return Name.of("f");
    }
  }

  private Attributes attributes() {
    if (feed.flag()) {
      return Attributes.IMPLIED_DIRECTORY;
    }
    List<Xattr> xattrs = new ArrayList<>();
    int count = feed.below(6);
    for (int i = 0; i < count; i++) {
      String name =
          XATTRS.get(feed.below(XATTRS.size()))
              + new String(feed.take(feed.below(8)), StandardCharsets.ISO_8859_1);
      if (xattrs.stream().noneMatch(other -> other.name().equals(name))) {
        xattrs.add(new Xattr(name, Bytes.of(feed.piece())));
      }
    }
    return new Attributes(
        feed.next16() & 07777,
        feed.next32() & 0xffff_ffffL,
        feed.next32() & 0xffff_ffffL,
        new Timestamp(feed.next64(), feed.next32() & 0x1fff_ffff),
        xattrs);
  }

  private static void damage(Feed feed, MemoryBlocks device) {
    int block = feed.next16() % 1024;
    device.damage(block * BlockDevice.BLOCK_SIZE + feed.next16() % 4096, (byte) feed.next());
  }
}

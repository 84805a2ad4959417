package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.TarMember;
import dev.pvcpopulators.diskimage.archive.TarReader;
import dev.pvcpopulators.ext4.Attributes;
import dev.pvcpopulators.ext4.EntryPath;
import dev.pvcpopulators.ext4.FileContent;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.LayerEdit;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Timestamp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Optional;

/// Applies a layer's tar to a file system (OCI image-spec 1.1, layer.md).
///
/// | Name                     | Means                                                      |
/// |--------------------------|------------------------------------------------------------|
/// | `.wh.NAME`               | removes `NAME` in the same directory of the layers below   |
/// | `.wh..wh..opq`           | removes all that the layers below have in the directory    |
/// | any other `.wh..wh.…`    | ignored, with everything below it                          |
/// | empty, `.`, `/`          | the root                                                   |
/// | anything else            | an entry, see [ConfinedPath]                               |
public final class LayerApplication {
  private static final int BUFFER_LENGTH = 256 << 10;

  /// The permissions of every symbolic link in Linux.
  private static final int LINK_PERMISSIONS = 0777;

  private static final int MAX_MAJOR = (1 << 12) - 1;
  private static final int MAX_MINOR = (1 << 20) - 1;

  private final TarReader members;
  private final LayerEdit edit;
  private final byte[] buffer = new byte[BUFFER_LENGTH];
  private final ByteBuffer wrapped = ByteBuffer.wrap(buffer);

  private LayerApplication(TarReader members, LayerEdit edit) {
    this.members = members;
    this.edit = edit;
  }

  /// Reads a tar to its end and applies its entries in order.
  ///
  /// @param tar the decompressed tar; the caller closes it
  /// @throws FileSystemFullException if the file system is too small; the exception contains the
  ///   estimated size of a file system for all entries up to the first entry that cannot be read
  /// @throws MalformedImageException if the tar is damaged or contradicts itself
  /// @throws UnsupportedFeatureException if an entry is of an unknown type
  /// @throws dev.pvcpopulators.ext4.structure.UnrepresentableException if ext4 cannot represent an
  ///   entry
  public static void apply(InputStream tar, LayerEdit edit) throws IOException {
    // The reader is not closed, because closing it would close the tar.
    new LayerApplication(new TarReader(tar), edit).applyAll();
  }

  private void applyAll() throws IOException {
    Optional<TarMember> next = members.next();
    while (next.isPresent()) {
      TarMember member = next.get();
      try {
        apply(member);
      } catch (FileSystemFullException e) {
        RoomTally rest = new RoomTally();
        rest.addRest(members);
        throw rest.beyond(e, "the layer, from " + member.quoted() + " on");
      }
      next = members.next();
    }
    members.drain();
  }

  private void apply(TarMember member) throws IOException {
    EntryPath path = ConfinedPath.of(member.name(), member.name().toString());
    switch (Whiteout.of(path)) {
      case NONE -> put(member, path);
      case NAME -> edit.whiteout(Whiteout.target(path, member));
      case OPAQUE -> edit.opaque(path.parent());
      case IGNORED -> {}
    }
  }

  private void put(TarMember member, EntryPath path) throws IOException {
    if (path.root() && member.type() != TarMember.Type.DIRECTORY) {
      throw malformed(member, "only a directory can replace the root");
    }
    requireNoData(member);
    switch (member.type()) {
      case FILE -> putFile(member, path);
      case DIRECTORY -> edit.directory(path, attributes(member));
      case SYMBOLIC_LINK ->
          edit.symbolicLink(path, attributes(member), Bytes.of(member.linkName().bytes()));
      case HARD_LINK -> putHardLink(member, path);
      case CHARACTER_DEVICE -> putDevice(member, path, FileType.CHARACTER_DEVICE);
      case BLOCK_DEVICE -> putDevice(member, path, FileType.BLOCK_DEVICE);
      case FIFO -> edit.special(path, attributes(member), FileType.FIFO, new DeviceNumber(0, 0));
      case OTHER ->
          throw new UnsupportedFeatureException(
              "tar entry " + member.quoted() + ": its type is unknown");
    }
  }

  /// Refuses a link, a device or a FIFO whose header states a size other than 0. For such an entry,
  /// some tools write data after the header, and other tools do not.
  private static void requireNoData(TarMember member) throws MalformedImageException {
    boolean data =
        switch (member.type()) {
          case FILE, DIRECTORY, OTHER -> false;
          case SYMBOLIC_LINK, HARD_LINK, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO -> member.size() != 0;
        };
    if (data) {
      throw malformed(
          member,
          "expected no data, because only a regular file has data, found "
              + member.size()
              + " bytes");
    }
  }

  private void putFile(TarMember member, EntryPath path) throws IOException {
    try (FileContent content =
        edit.file(path, attributes(member), member.length(), member.dataLength())) {
      long position = 0;
      int count = 0;
      while (count >= 0) {
        long hole = members.hole();
        if (hole > 0) {
          members.skipHole();
          content.skip(hole);
          position += hole;
        }
        count = members.read(buffer, 0, buffer.length);
        if (count > 0) {
          content.write(wrapped.position(0).limit(count));
          position += count;
        }
      }
      if (position != member.length()) {
        throw malformed(
            member, "expected " + member.length() + " bytes of data, found " + position);
      }
    }
  }

  private void putHardLink(TarMember member, EntryPath path) throws IOException {
    EntryPath target = ConfinedPath.of(member.linkName(), member.name().toString());
    if (target.root()) {
      throw malformed(member, "a hard link to the root");
    }
    try {
      edit.hardLink(path, target);
    } catch (NoSuchFileException e) {
      throw new MalformedImageException(
          "tar entry " + member.quoted(),
          -1,
          "neither this layer nor those below have " + target + ", the target of the hard link",
          e);
    }
  }

  private void putDevice(TarMember member, EntryPath path, FileType type) throws IOException {
    if (member.deviceMajor() > MAX_MAJOR || member.deviceMinor() > MAX_MINOR) {
      throw malformed(
          member,
          "Linux has no device of number " + member.deviceMajor() + ":" + member.deviceMinor());
    }
    edit.special(
        path,
        attributes(member),
        type,
        new DeviceNumber(member.deviceMajor(), member.deviceMinor()));
  }

  private Attributes attributes(TarMember member) {
    Instant modified = member.modified();
    return new Attributes(
        member.type() == TarMember.Type.SYMBOLIC_LINK ? LINK_PERMISSIONS : member.mode(),
        member.uid(),
        member.gid(),
        new Timestamp(modified.getEpochSecond(), modified.getNano()),
        KeptAttributes.of(member));
  }

  private static MalformedImageException malformed(TarMember member, String reason) {
    return new MalformedImageException("tar entry " + member.quoted(), -1, reason);
  }
}

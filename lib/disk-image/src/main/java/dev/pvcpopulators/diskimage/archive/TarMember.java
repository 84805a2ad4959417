package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.Quoted;
import java.time.Instant;
import java.util.List;

/// The metadata of one tar entry, without the names of its user and group. `name` and `linkName`
/// are the exact bytes of the archive.
///
/// @param name as written in the archive, with all its `/`, `.` and `..`
/// @param linkName the target of a link, as written in the archive; empty for other entries
/// @param mode the lower 12 bits: set-user-ID, set-group-ID, sticky, and nine permissions
/// @param uid 0 to 2³²-1
/// @param gid 0 to 2³²-1
/// @param modified the modification time, rounded down to nanoseconds; may be before 1970
/// @param deviceMajor the major number of a device, at least 0; 0 for other entries
/// @param deviceMinor the minor number of a device, at least 0; 0 for other entries
/// @param size the size that the headers give, in bytes. For a directory, link, device or FIFO, no
///   data follows even if the size is not 0
/// @param length bytes of a file, holes included; 0 for other entries
/// @param dataLength bytes of a file outside holes; 0 for other entries
/// @param attributes extended attributes; each name occurs once
/// @param accessLists number of the entry's access control lists that are given as text. The text
///   is not parsed, because container tools write access control lists as extended attributes
///   instead
public record TarMember(
    ByteString name,
    ByteString linkName,
    Type type,
    int mode,
    long uid,
    long gid,
    Instant modified,
    int deviceMajor,
    int deviceMinor,
    long size,
    long length,
    long dataLength,
    List<Attribute> attributes,
    int accessLists) {
  /// The type of an entry.
  public enum Type {
    FILE,
    DIRECTORY,
    SYMBOLIC_LINK,
    /// A hard link: another name of a file in the same archive or, in a container image, in a lower
    /// layer.
    HARD_LINK,
    CHARACTER_DEVICE,
    BLOCK_DEVICE,
    FIFO,
    /// A type that neither POSIX nor GNU tar defines, or that belongs to incremental or
    /// multi-volume archives.
    OTHER
  }

  /// An extended attribute.
  ///
  /// @param name the name with its namespace, for example `security.capability`
  public record Attribute(String name, ByteString value) {}

  public TarMember {
    attributes = List.copyOf(attributes);
  }

  /// Returns the name for messages, as [Quoted#of] quotes it.
  public String quoted() {
    return Quoted.of(name.toString());
  }
}

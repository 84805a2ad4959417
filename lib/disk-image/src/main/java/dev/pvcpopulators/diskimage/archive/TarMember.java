package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.Quoted;
import java.time.Instant;
import java.util.List;

/// All that a tar archive says of one entry, names byte for byte.
///
/// @param name as it was written, with all its `/`, `.` and `..`
/// @param linkName where a link leads, as it was written; empty for what is no link
/// @param mode the lower 12 bits: set-user-ID, set-group-ID, sticky, and nine permissions
/// @param uid 0 to 2³²-1
/// @param gid 0 to 2³²-1
/// @param modified with all the digits that the archive has; also before 1970
/// @param deviceMajor of a device, at least 0; of others 0
/// @param deviceMinor of a device, at least 0; of others 0
/// @param size what its header says, in bytes; only a file has so many of data
/// @param length bytes of a file, holes included; 0 for anything else
/// @param dataLength bytes of a file that lie in no hole
/// @param attributes extended ones, each name once
/// @param accessLists how many of the entry's access control lists are written as text, which is
///   not read: container tools write them among the attributes
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
  /// What an entry is.
  public enum Type {
    FILE,
    DIRECTORY,
    SYMBOLIC_LINK,
    /// Another name of a file in the same archive, or below.
    HARD_LINK,
    CHARACTER_DEVICE,
    BLOCK_DEVICE,
    FIFO,
    /// A type that is neither of POSIX nor of GNU tar, or of incremental and multi-volume archives.
    OTHER
  }

  /// An extended attribute.
  ///
  /// @param name with its namespace: `security.capability`
  public record Attribute(String name, ByteString value) {}

  public TarMember {
    attributes = List.copyOf(attributes);
  }

  /// The name in quotes, made fit for messages.
  public String quoted() {
    return Quoted.of(name.toString());
  }
}

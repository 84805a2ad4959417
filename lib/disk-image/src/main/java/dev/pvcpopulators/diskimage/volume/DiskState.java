package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.volume.DiskCheck.Property;
import dev.pvcpopulators.linux.FileStatus;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The state of a disk's file when the disk was published, stored in the file's extended attribute
/// `user.pvc-populators.state`:
///
/// ```
/// inode=12 size=1048576 mtime=1790000000.123456789 ctime=1790000000.234567890 content=mib-sha256:…
/// ```
///
/// A comparison with this state detects later writes to the disk. The state is not tamper-proof: a
/// program with write access to the file can also change this attribute.
///
/// @param size bytes
/// @param changed the ctime before this state was written; writing the state and renaming the file
///   change the ctime again
/// @param content the digest that [ContentDigest] computes; empty if it was not computed
record DiskState(
    long inode, long size, Instant modified, Instant changed, Optional<String> content) {
  private static final String ATTRIBUTE = "user.pvc-populators.state";

  /// Maximum time by which the ctime of an unchanged file may be later than the stored ctime. The
  /// ctime is read first; then storing the state and renaming the file change it.
  private static final Duration NAMING = Duration.ofSeconds(10);

  private static final Pattern TEXT =
      Pattern.compile(
          "inode=([-0-9]{1,20}) size=([0-9]{1,19}) mtime=([-0-9]{1,12})\\.([0-9]{9})"
              + " ctime=([-0-9]{1,12})\\.([0-9]{9})(?: content=([a-z0-9:-]{1,128}))?");

  static DiskState of(FileStatus status, Optional<String> content) {
    return new DiskState(
        status.inode(), status.length(), status.modified(), status.changed(), content);
  }

  /// Writes the attribute. If there is no space for the new value, the attribute is removed, and
  /// the disk's state is unknown.
  void write(NativeFile file) throws IOException {
    String text =
        "inode="
            + inode
            + " size="
            + size
            + " mtime="
            + text(modified)
            + " ctime="
            + text(changed)
            + content.map(digest -> " content=" + digest).orElse("");
    if (!file.setAttribute(ATTRIBUTE, text)) {
      file.removeAttribute(ATTRIBUTE);
    }
  }

  private static String text(Instant time) {
    return "%d.%09d".formatted(time.getEpochSecond(), time.getNano());
  }

  /// Reads the state; empty if the attribute is missing or does not have the form that [#write]
  /// creates.
  static Optional<DiskState> read(NativeFile file) throws IOException {
    return file.attribute(ATTRIBUTE).flatMap(DiskState::parse);
  }

  private static Optional<DiskState> parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new DiskState(
              Long.parseLong(parts.group(1)),
              Long.parseLong(parts.group(2)),
              time(parts.group(3), parts.group(4)),
              time(parts.group(5), parts.group(6)),
              Optional.ofNullable(parts.group(7))));
    } catch (NumberFormatException _) {
      // The attribute is malformed, for example with a sign in the middle of a number.
      return Optional.empty();
    }
  }

  private static Instant time(String seconds, String nanoseconds) {
    return Instant.ofEpochSecond(Long.parseLong(seconds), Long.parseLong(nanoseconds));
  }

  /// Compares this state with the current state of the file.
  ///
  /// @param content whether to read the whole disk and compare its digest with the stored digest.
  ///   If no digest is stored, the content is not compared. If the length of the file has changed,
  ///   the content is not read and counts as different
  DiskCheck compare(DiskRecord record, NativeFile file, boolean content, Cancellation cancellation)
      throws IOException {
    Set<Property> same = EnumSet.noneOf(Property.class);
    Set<Property> different = EnumSet.noneOf(Property.class);
    FileStatus now = file.status();
    (now.inode() == inode ? same : different).add(Property.INODE);
    (now.length() == size ? same : different).add(Property.SIZE);
    (now.modified().equals(modified) ? same : different).add(Property.MTIME);
    (asNamed(now.changed()) ? same : different).add(Property.CTIME);
    if (content && this.content.isPresent()) {
      boolean equal =
          now.length() == size
              && ContentDigest.of(file, size, cancellation).equals(this.content.get());
      (equal ? same : different).add(Property.CONTENT);
    }
    return new DiskCheck(record, same, different);
  }

  private boolean asNamed(Instant found) {
    return !found.isBefore(changed) && !found.isAfter(changed.plus(NAMING));
  }
}

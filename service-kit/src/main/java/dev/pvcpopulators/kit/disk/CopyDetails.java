package dev.pvcpopulators.kit.disk;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.terminal.SteadyClock;
import java.time.Duration;
import java.time.Instant;

/// The details of a copy in the status and the result. They are the same for every kind of source.
///
/// | Field          | Meaning                                                             |
/// |----------------|---------------------------------------------------------------------|
/// | `writtenBytes` | bytes written to the volume, without holes                          |
/// | `seconds`      | from the request until the disk is published or found               |
/// | `content`      | the detected content of the disk                                    |
/// | `notice`       | a hint for the user about the content of the disk                   |
/// | `skipped`      | true if the volume held this disk already                           |
/// | `verified`     | what this run has verified. After a copy: `source`, which means all |
/// |                | digests and lengths that are known for the source. For an existing  |
/// |                | disk: those of the properties `inode`, `size`, `mtime`, `ctime` and |
/// |                | `content` that were compared and are unchanged                      |
/// | `recorded`     | names of the properties of an existing disk that this run read from |
/// |                | the disk's record and did not verify                                |
public class CopyDetails {
  private final ObjectNode fields = JsonNodeFactory.instance.objectNode();
  private final Instant started = SteadyClock.system().instant();

  /// Returns the object with the details so far. The service adds the details of its source to this
  /// object.
  public ObjectNode fields() {
    return fields;
  }

  /// Adds the details of a disk that was copied and published. Returns all details.
  ///
  /// @param bytes the number of bytes written to the volume
  public ObjectNode written(long bytes, DiskContent content) {
    ended(false).put("writtenBytes", bytes).put("content", content.words());
    content.notice().ifPresent(notice -> fields.put("notice", notice));
    fields.putArray("verified").add("source");
    return fields;
  }

  /// Adds the details of a disk that the volume held already. Returns all details.
  public ObjectNode skipped(ExistingDisk existing) {
    ended(true);
    existing.verified().forEach(fields.putArray("verified")::add);
    fields.putArray("recorded").add("digest").add("format").add("virtualSize");
    return fields;
  }

  private ObjectNode ended(boolean skipped) {
    double seconds = Duration.between(started, SteadyClock.system().instant()).toMillis() / 1000.0;
    return fields.put("seconds", seconds).put("skipped", skipped);
  }
}

package dev.pvcpopulators.httpcopy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.http.file.Checksum;
import dev.pvcpopulators.http.file.FileHead;
import dev.pvcpopulators.http.file.FileUrl;
import dev.pvcpopulators.kit.disk.CopyDetails;
import dev.pvcpopulators.kit.disk.ExistingDisk;

/// The details of a copy, as its status and a job's result show them, bit by bit as they become
/// known; besides those of [CopyDetails].
///
/// | Field      | Meaning                                                                 |
/// |------------|-------------------------------------------------------------------------|
/// | `url`      | without its query, which may hold a signature                           |
/// | `checksum` | the expected one; without one nothing but the length is verified        |
/// | `type`     | the media type that the server sends                                    |
/// | `ranges`   | `Accept-Ranges` as the server sends it                                  |
/// | `resumes`  | whether a lost connection can be resumed: the server sends a length and |
/// |            | a strong validator                                                      |
/// | `restarts` | how often the copy began anew                                           |
final class CopyReport {
  /// Characters of a header field that are shown.
  private static final int SHOWN = 100;

  private final CopyDetails details = new CopyDetails();
  private final ObjectNode fields = details.fields();

  CopyReport(FileUrl url) {
    fields.put("url", url.toString());
  }

  /// The file's checksum is known.
  ObjectNode expected(Checksum checksum) {
    return fields.put("checksum", checksum.toString());
  }

  /// The server has answered.
  ObjectNode opened(FileHead head) {
    return fields
        .put("type", Quoted.plain(head.type(), SHOWN))
        .put("ranges", Quoted.plain(head.ranges(), SHOWN))
        .put("resumes", head.size().isPresent() && head.validator().isPresent());
  }

  /// The copy begins anew.
  ///
  /// @param restarts so far
  ObjectNode restarted(int restarts) {
    return fields.put("restarts", restarts);
  }

  /// The disk is published.
  ///
  /// @param content what it seems to hold
  ObjectNode written(long bytes, DiskContent content) {
    return details.written(bytes, content);
  }

  /// The disk was there already.
  ObjectNode skipped(ExistingDisk existing) {
    return details.skipped(existing);
  }
}

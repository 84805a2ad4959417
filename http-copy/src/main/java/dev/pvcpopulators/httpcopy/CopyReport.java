package dev.pvcpopulators.httpcopy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.DiskContent;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.http.file.Checksum;
import dev.pvcpopulators.http.file.FileHead;
import dev.pvcpopulators.http.file.FileUrl;
import dev.pvcpopulators.kit.disk.CopyDetails;
import dev.pvcpopulators.kit.disk.ExistingDisk;

/// The details of a copy: the fields of [CopyDetails], and the fields in the table below. A detail
/// is added as soon as it is known. The status document, and the result of a job, contain the
/// details. Each method returns all details that are known so far.
///
/// | Field      | Meaning                                                                 |
/// |------------|-------------------------------------------------------------------------|
/// | `url`      | the URL without its query, because the query may contain a signature    |
/// | `checksum` | the expected checksum of the file; absent if no checksum is expected    |
/// | `type`     | the media type that the server sends                                    |
/// | `ranges`   | `Accept-Ranges` as the server sends it                                  |
/// | `resumes`  | whether the copy can continue after a lost connection; true only if the |
/// |            | server sends a length and a strong validator                            |
/// | `restarts` | the number of restarts of the copy; absent if there was none            |
final class CopyReport {
  /// The maximum number of characters of a header field's value in the details.
  private static final int SHOWN = 100;

  private final CopyDetails details = new CopyDetails();
  private final ObjectNode fields = details.fields();

  CopyReport(FileUrl url) {
    fields.put("url", url.toString());
  }

  /// Adds the expected checksum.
  ObjectNode expected(Checksum checksum) {
    return fields.put("checksum", checksum.toString());
  }

  /// Adds the server's response.
  ObjectNode opened(FileHead head) {
    return fields
        .put("type", Quoted.plain(head.type(), SHOWN))
        .put("ranges", Quoted.plain(head.ranges(), SHOWN))
        .put("resumes", head.size().isPresent() && head.validator().isPresent());
  }

  /// Adds the number of restarts so far.
  ObjectNode restarted(int restarts) {
    return fields.put("restarts", restarts);
  }

  /// Adds the number of written bytes and the content of the published disk.
  ///
  /// @param content the recognised content of the disk
  ObjectNode written(long bytes, DiskContent content) {
    return details.written(bytes, content);
  }

  /// Adds the details of a disk that existed already.
  ObjectNode skipped(ExistingDisk existing) {
    return details.skipped(existing);
  }
}

package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.VolumeException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The field `If-Match` (RFC 9110, section 13.1.1), whose entity tags are revisions of the status
/// document.
final class Precondition {
  /// One element of the list: a tag or nothing, up to the next comma or the end. By RFC 9110,
  /// section 8.8.3, a tag contains no quotation mark between its two quotation marks.
  private static final Pattern ELEMENT =
      Pattern.compile("\\G[ \\t]*(?:(W/)?\"([^\"]*)\")?[ \\t]*(?:,|$)");

  private Precondition() {}

  /// Reads all `If-Match` fields of a request; a weak tag matches nothing.
  ///
  /// @throws VolumeException with `Failure.InvalidRequest` if the fields are neither `*` nor a list
  ///   of entity tags
  static Expected of(List<String> fields) throws VolumeException {
    if (fields.isEmpty()) {
      return new Expected.Anything();
    }
    String list = String.join(",", fields);
    if (list.strip().equals("*")) {
      return new Expected.Something();
    }
    Set<String> revisions = new HashSet<>();
    Matcher element = ELEMENT.matcher(list);
    int end = 0;
    while (end < list.length() && element.find()) {
      end = element.end();
      if (element.group(1) == null && element.group(2) != null) {
        revisions.add(element.group(2));
      }
    }
    if (end < list.length()) {
      throw VolumeException.invalid(
          "Reading If-Match: expected * or a revision in quotation marks");
    }
    return new Expected.Revision(revisions);
  }
}

package dev.pvcpopulators.http.file;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// A list of hosts in a setting.
///
/// @param entries `HOST[:PORT]` each; without a port the scheme's own
public record HostList(List<String> entries) {
  private static final Pattern ENTRY =
      Pattern.compile(
          "(?:[A-Za-z0-9][A-Za-z0-9.-]{0,253}|\\[[0-9A-Fa-f:.]{2,45}])(?::[0-9]{1,5})?");

  /// Checks the entries.
  ///
  /// @throws IllegalArgumentException for an entry that is not a host
  public HostList {
    entries = List.copyOf(entries);
    for (String entry : entries) {
      if (!ENTRY.matcher(entry).matches()) {
        throw new IllegalArgumentException("Expected HOST[:PORT], found '" + entry + "'");
      }
    }
  }

  /// Returns whether the list is empty.
  public boolean isEmpty() {
    return entries.isEmpty();
  }

  /// Returns whether the list contains the host of a URL.
  public boolean contains(FileUrl url) {
    String port = url.plainHttp() ? ":80" : ":443";
    String wanted = withoutPort(url.authority(), port);
    return entries.stream().anyMatch(entry -> withoutPort(entry, port).equals(wanted));
  }

  private static String withoutPort(String authority, String port) {
    String lower = authority.toLowerCase(Locale.ROOT);
    return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
  }
}

package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.InsecureHosts;
import java.util.List;
import java.util.regex.Pattern;

/// A list of hosts in a setting.
///
/// @param entries the hosts, each as `HOST[:PORT]`; for an entry without a port, [#contains] uses
///   the default port of the URL's scheme
public record HostList(List<String> entries) {
  private static final Pattern ENTRY =
      Pattern.compile(
          "(?:[A-Za-z0-9][A-Za-z0-9.-]{0,253}|\\[[0-9A-Fa-f:.]{2,45}])(?::[0-9]{1,5})?");

  /// Checks the entries.
  ///
  /// @throws IllegalArgumentException if an entry is not `HOST[:PORT]`
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

  /// Returns whether the list contains the host and port of a URL.
  public boolean contains(FileUrl url) {
    String port = url.plainHttp() ? ":80" : ":443";
    String wanted = InsecureHosts.withoutPort(url.authority(), port);
    return entries.stream()
        .anyMatch(entry -> InsecureHosts.withoutPort(entry, port).equals(wanted));
  }
}

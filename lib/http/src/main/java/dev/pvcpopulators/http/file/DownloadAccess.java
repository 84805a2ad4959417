package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.HttpOptions;
import dev.pvcpopulators.http.SourceDeniedException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What downloads may ask, and with which credentials.
///
/// @param http how to connect
/// @param insecureHosts the hosts that may be asked by plain HTTP
/// @param allowedHosts the hosts that may be asked; empty for any
/// @param allowedSetting the setting with these hosts, for messages
/// @param configured URLs that settings name
/// @param credentials header fields for one file and what is in its directory or below, and for no
///   other URL: another path of the same server may belong to another tenant
/// @param credentialed the URL of that file; empty if no URL has credentials
/// @param retries how often in a row a request may fail without progress
public record DownloadAccess(
    HttpOptions http,
    HostList insecureHosts,
    HostList allowedHosts,
    String allowedSetting,
    List<FileUrl> configured,
    Map<String, String> credentials,
    Optional<FileUrl> credentialed,
    int retries) {
  public DownloadAccess {
    configured = List.copyOf(configured);
    credentials = Map.copyOf(credentials);
  }

  /// Refuses a host that may not be asked.
  public void require(FileUrl url) throws SourceDeniedException {
    if (!allowedHosts.isEmpty() && !allowedHosts.contains(url)) {
      throw new SourceDeniedException(
          "Access to "
              + url.authority()
              + " is denied: it is not among the hosts of "
              + allowedSetting);
    }
    if (url.plainHttp() && !insecureHosts.contains(url)) {
      throw new SourceDeniedException(
          "Access to "
              + url.authority()
              + " is denied: it is plain HTTP; list the host in "
              + http.insecureSetting()
              + " to allow it");
    }
  }

  /// Returns whether a host may be at any address, because a setting names it; a host that only a
  /// client names may not be on this machine or its link.
  boolean mayBeAnywhere(FileUrl url) {
    return !allowedHosts.isEmpty()
        || insecureHosts.contains(url)
        || configured.stream().anyMatch(url::hasOriginOf);
  }

  /// Whether the credentials are for a URL.
  boolean credentialed(URI url) {
    return !credentials.isEmpty() && credentialed.filter(file -> file.hasBeside(url)).isPresent();
  }

  /// Leaves the credentials out.
  @Override
  public String toString() {
    return "DownloadAccess[http=" + http + ", allowedHosts=" + allowedHosts + "]";
  }
}

package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.HttpOptions;
import dev.pvcpopulators.http.SourceDeniedException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The permitted hosts of requested URLs, and the credentials for some of these URLs.
///
/// @param http the connection settings
/// @param insecureHosts the hosts that may be requested by plain HTTP; a redirect to plain HTTP is
///   checked against the insecure hosts of `http` instead
/// @param allowedHosts the hosts that may be requested; empty if every host may be requested. A
///   redirect from one of these hosts may also lead to a host that is not in the list
/// @param allowedSetting the name of the setting for `allowedHosts`, for messages
/// @param configured the URLs that settings name; their origins may have any address
/// @param credentials the header fields for one file, and for URLs in the file's directory or below
///   it. No other URL gets these fields, because another path of the same server may belong to
///   another tenant
/// @param credentialed the URL of the file to which `credentials` belong; empty if there is none
/// @param retries maximum number of consecutive retries without progress
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

  /// Throws if a URL must not be requested.
  public void require(FileUrl url) throws SourceDeniedException {
    if (!allowedHosts.isEmpty() && !allowedHosts.contains(url)) {
      throw new SourceDeniedException(
          "Access to %s is denied: it is not among the hosts of %s"
              .formatted(url.authority(), allowedSetting));
    }
    if (url.plainHttp() && !insecureHosts.contains(url)) {
      throw new SourceDeniedException(
          "Access to %s is denied: it is plain HTTP; list the host in %s to allow it"
              .formatted(url.authority(), http.insecureSetting()));
    }
  }

  /// Returns whether a setting names the host of a URL; if so, the host may have any address. The
  /// caller has checked the URL with [#require]. If only a client of the service names a host, the
  /// host must not have a loopback, link-local, metadata, multicast or broadcast address, or
  /// another address of this machine.
  boolean mayBeAnywhere(FileUrl url) {
    return !allowedHosts.isEmpty()
        || insecureHosts.contains(url)
        || configured.stream().anyMatch(url::hasOriginOf);
  }

  /// Returns whether a URL gets the credentials.
  boolean credentialed(URI url) {
    return !credentials.isEmpty() && credentialed.filter(file -> file.hasBeside(url)).isPresent();
  }

  /// Returns a text without the credentials.
  @Override
  public String toString() {
    return "DownloadAccess[http=" + http + ", allowedHosts=" + allowedHosts + "]";
  }
}

package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.http.HttpOptions;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.http.file.CredentialFiles;
import dev.pvcpopulators.http.file.DownloadAccess;
import dev.pvcpopulators.http.file.DownloadSession;
import dev.pvcpopulators.http.file.FileUrl;
import dev.pvcpopulators.http.file.HostList;
import dev.pvcpopulators.volume.VolumeException;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Opens download sessions with the configured connection settings. The files that contain
/// credentials are read again for each session, because a mounted Secret may change.
@Singleton
final class Downloads {
  /// The prefix of this service's environment variables.
  static final String PREFIX = "HTTP_COPY_";

  private final HttpCopySettings settings;

  Downloads(HttpCopySettings settings) {
    this.settings = settings;
  }

  /// Returns a new session, which has not opened a connection yet. The caller must close the
  /// session.
  ///
  /// @throws VolumeException with [dev.pvcpopulators.volume.Failure.InvalidRequest] if a setting is
  ///   invalid
  DownloadSession open() throws VolumeException {
    try {
      return new DownloadSession(access());
    } catch (IllegalArgumentException e) {
      throw VolumeException.invalid("Reading the settings for servers: " + e.getMessage(), e);
    }
  }

  private DownloadAccess access() {
    List<String> insecure = settings.insecureHosts().orElse(List.of());
    Optional<FileUrl> url = settings.url().map(FileUrl::parse);
    CredentialFiles credentials =
        new CredentialFiles(
            settings.headersFile(),
            settings.usernameFile(),
            settings.passwordFile(),
            settings.tokenFile());
    return new DownloadAccess(
        new HttpOptions(
            settings.caFile(),
            new InsecureHosts(Set.copyOf(insecure)),
            PREFIX + "INSECURE_HOSTS",
            settings.connectTimeout(),
            settings.idleTimeout(),
            System.getenv()),
        new HostList(insecure),
        new HostList(settings.allowedHosts().orElse(List.of())),
        PREFIX + "ALLOWED_HOSTS",
        Stream.concat(url.stream(), settings.checksumsUrl().map(FileUrl::parse).stream()).toList(),
        credentials.read(),
        url,
        settings.retries());
  }
}

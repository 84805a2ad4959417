package dev.pvcpopulators.httpcopy;

import dev.pvcpopulators.http.file.Checksum;
import dev.pvcpopulators.http.file.CredentialFiles;
import dev.pvcpopulators.http.file.FileUrl;
import dev.pvcpopulators.http.file.HostList;
import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.GivenSettings;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.PathChecks;
import dev.pvcpopulators.kit.settings.SettingsRules;
import dev.pvcpopulators.kit.settings.SharedRules;
import dev.pvcpopulators.kit.source.ConnectionRules;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Checks the settings of this service.
public final class HttpCopyRules implements SettingsRules {
  private static final String PREFIX = Downloads.PREFIX;
  private static final String URL = PREFIX + "URL";
  private static final String CHECKSUMS_URL = PREFIX + "CHECKSUMS_URL";
  private static final String URL_FORM =
      "http(s)://HOST[:PORT]/FILE, without user, password and fragment, of at most "
          + FileUrl.MAX_SHOWN
          + " characters before its query";

  @Override
  public void check(GivenSettings given, Mistakes found) {
    HttpCopySettings settings = given.of(HttpCopySettings.class);
    ClaimName.require(given, found);
    // A dry run also needs a valid target, because the dry run reports whether the disk fits into
    // the target.
    SharedRules.target(given, found, true);
    ConnectionRules.check(settings, PREFIX, found);
    Optional<HostList> insecure = hosts(PREFIX + "INSECURE_HOSTS", settings.insecureHosts(), found);
    Optional<HostList> allowed = hosts(PREFIX + "ALLOWED_HOSTS", settings.allowedHosts(), found);
    if (settings.url().isEmpty() && given.isJob()) {
      found.missing(URL, "the URL of the disk");
    }
    url(URL, settings.url(), insecure, allowed, found);
    url(CHECKSUMS_URL, settings.checksumsUrl(), insecure, allowed, found);
    checksum(settings, found);
    credentials(settings, found);
    FormatSetting.check(PREFIX + "FORMAT", settings.format(), found);
  }

  private static Optional<HostList> hosts(
      String variable, Optional<List<String>> hosts, Mistakes found) {
    return found.parse(variable, hosts, "HOST[:PORT], several separated by commas", HostList::new);
  }

  private static void url(
      String variable,
      Optional<String> text,
      Optional<HostList> insecure,
      Optional<HostList> allowed,
      Mistakes found) {
    Optional<FileUrl> url = found.parse(variable, text, URL_FORM, FileUrl::parse);
    if (url.filter(FileUrl::plainHttp).isPresent()
        && insecure.filter(hosts -> hosts.contains(url.get())).isEmpty()) {
      found.contradicts(variable, "HTTPS, or a host of " + PREFIX + "INSECURE_HOSTS");
    }
    if (url.isPresent() && allowed.filter(hosts -> !hosts.contains(url.get())).isPresent()) {
      found.contradicts(variable, "a URL on a host of " + PREFIX + "ALLOWED_HOSTS");
    }
  }

  private static void checksum(HttpCopySettings settings, Mistakes found) {
    found.parse(
        PREFIX + "SHA256",
        settings.sha256(),
        "64 hexadecimal digits",
        hex -> Checksum.parse(Checksum.Algorithm.SHA256, hex));
    found.parse(
        PREFIX + "SHA512",
        settings.sha512(),
        "128 hexadecimal digits",
        hex -> Checksum.parse(Checksum.Algorithm.SHA512, hex));
    String others = "no value, because another checksum is set";
    if (settings.sha512().isPresent() && settings.sha256().isPresent()) {
      found.contradicts(PREFIX + "SHA512", others);
    }
    if (settings.checksumsUrl().isPresent()
        && (settings.sha256().isPresent() || settings.sha512().isPresent())) {
      found.contradicts(CHECKSUMS_URL, others);
    }
  }

  private static void credentials(HttpCopySettings settings, Mistakes found) {
    ConnectionRules.pair(
        PREFIX, settings.usernameFile().isPresent(), settings.passwordFile().isPresent(), found);
    ConnectionRules.secret(PREFIX + "USERNAME_FILE", settings.usernameFile(), found);
    ConnectionRules.secret(PREFIX + "PASSWORD_FILE", settings.passwordFile(), found);
    ConnectionRules.secret(PREFIX + "TOKEN_FILE", settings.tokenFile(), found);
    found.place(
        PREFIX + "HEADERS_FILE",
        settings.headersFile(),
        PathChecks.text(
            CredentialFiles.MAX_SECRET, HttpCopyRules::areHeaders, "no NAME: VALUE per line"),
        "a file with one NAME: VALUE per line, without fields that the service itself sets");
    if (settings.tokenFile().isPresent() && settings.usernameFile().isPresent()) {
      found.contradicts(PREFIX + "TOKEN_FILE", "no value, because a user name is set");
    }
    boolean any =
        Stream.of(settings.headersFile(), settings.usernameFile(), settings.tokenFile())
            .anyMatch(Optional::isPresent);
    if (any && settings.url().isEmpty()) {
      found.missing(URL, "the URL that the credentials are for");
    }
  }

  private static boolean areHeaders(String text) {
    try {
      return !CredentialFiles.parse(text).isEmpty();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}

package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.cloud.tools.jib.api.Credential;
import com.google.cloud.tools.jib.registry.RegistryAliasGroup;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.registry.ManifestJson;
import dev.pvcpopulators.registry.RegistryLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A credentials file in the format of Docker's `config.json`.
///
/// A key of `auths` names a host, such as `quay.io`. As in podman, skopeo and Kubernetes, the path
/// of a repository, or the first components of such a path, can follow the host, as in
/// `quay.io/organisation`. A key applies to its own path and to paths below it, compared by whole
/// components: `host/team-a` applies to `host/team-a/vm`, but not to `host/team-ab` or `host`.
///
/// @param file the path of the file, for messages
record DockerConfig(Path file, JsonNode document) {
  private static final String AUTHS = "auths";
  private static final String HELPERS = "credHelpers";
  private static final String STORE = "credsStore";

  /// The user name that marks an OAuth2 refresh token.
  private static final String TOKEN_USER = "<token>";

  /// The old forms of a host in a key, such as `https://index.docker.io/v1/`, which Docker still
  /// writes for Docker Hub.
  private static final Pattern OLD_KEY =
      Pattern.compile("(?:https?://([^/]+)(?:/(?:v[12]/?)?)?|([^/]+)/(?:v[12]/)?)");

  /// Reads a credentials file.
  ///
  /// @return empty if the file does not exist, or if its directory is not accessible
  /// @throws SourceDeniedException if the file cannot be read, or if the file, `auths` or
  ///   `credHelpers` is not a JSON object
  static Optional<DockerConfig> read(Path file) throws SourceDeniedException {
    // The file also counts as missing if a parent is not a directory, as with HOME=/dev/null, or if
    // a parent is not accessible.
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    JsonNode document;
    try (InputStream in = Files.newInputStream(file)) {
      document = ManifestJson.read(in.readNBytes(RegistryLimits.MANIFEST_LENGTH + 1), "File");
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw refused(file, "cannot be read (" + e.getClass().getSimpleName() + ")");
    }
    for (String field : List.of(AUTHS, HELPERS)) {
      if (document.has(field) && !document.path(field).isObject()) {
        throw refused(file, "has no object as " + field);
      }
    }
    return Optional.of(new DockerConfig(file, document));
  }

  /// Creates the exception for an unusable file. The message does not quote the file's content.
  private static SourceDeniedException refused(Path file, String found) {
    return new SourceDeniedException(
        ("Cannot read the registry credentials in %s: expected Docker's config.json, found a"
                + " file that %s")
            .formatted(file, found));
  }

  /// Finds the credentials for a repository. The most specific key of `auths` that has credentials
  /// determines the result. If no such key has credentials, calls the credential helpers that
  /// `credHelpers` names for the host or, if `credHelpers` names none, the helper that `credsStore`
  /// names.
  ///
  /// @throws SourceDeniedException if the `auth` of an entry is not in Docker's format
  Optional<Credential> find(Endpoint endpoint) throws SourceDeniedException {
    for (String key : keys(endpoint)) {
      Optional<Credential> found = entry(document.path(AUTHS).path(key));
      if (found.isPresent()) {
        return found;
      }
    }
    return asked(endpoint);
  }

  /// Calls the helpers that `credHelpers` names for the host, until a helper returns credentials.
  /// As in Docker, a helper receives the key exactly as it is in the file, because Docker's own
  /// helpers know Docker Hub only as `https://index.docker.io/v1/`.
  ///
  /// If `credHelpers` names no helper for the host, calls the helper that `credsStore` names: first
  /// with each key of `auths` that names the host, then with the host itself and each of its
  /// aliases.
  private Optional<Credential> asked(Endpoint endpoint) {
    List<String> hosts = RegistryAliasGroup.getAliasesGroup(endpoint.authority());
    Map<String, String> helpers = new LinkedHashMap<>();
    hostKeys(HELPERS, hosts)
        .forEach(key -> helpers.put(key, document.path(HELPERS).path(key).asText("")));
    String store = document.path(STORE).asText("");
    if (helpers.isEmpty() && !store.isEmpty()) {
      hostKeys(AUTHS, hosts).forEach(key -> helpers.put(key, store));
      hosts.forEach(host -> helpers.put(host, store));
    }
    return helpers.entrySet().stream()
        .flatMap(helper ->
            CredentialProgram.named(helper.getValue())
                .flatMap(program -> program.credentials(helper.getKey()))
                .stream())
        .findFirst();
  }

  /// Returns the keys of an object that are one of the hosts, or an old form of one of the hosts.
  /// Does not return keys with the path of a repository or its first components, such as
  /// `quay.io/organisation`.
  ///
  /// @param field the name of the object
  private List<String> hostKeys(String field, List<String> hosts) {
    return document.path(field).properties().stream()
        .map(Map.Entry::getKey)
        .filter(key -> hosts.contains(key) || hosts.contains(host(key)))
        .toList();
  }

  /// Returns the keys that apply to the endpoint, the most specific first. Some of these keys may
  /// be missing in `auths`.
  private List<String> keys(Endpoint endpoint) {
    List<String> keys = new ArrayList<>();
    List<String> hosts = RegistryAliasGroup.getAliasesGroup(endpoint.authority());
    String path = endpoint.name();
    for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
      for (String host : hosts) {
        keys.add(host + "/" + path.substring(0, end));
      }
    }
    keys.addAll(hosts);
    keys.addAll(hostKeys(AUTHS, hosts));
    return keys;
  }

  /// Returns the host of a key in an old form; an empty string for any other key.
  private static String host(String key) {
    Matcher matcher = OLD_KEY.matcher(key);
    if (!matcher.matches()) {
      return "";
    }
    return matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
  }

  private Optional<Credential> entry(JsonNode entry) throws SourceDeniedException {
    String token = entry.path("identitytoken").asText("");
    if (!token.isEmpty()) {
      return Optional.of(Credential.from(TOKEN_USER, token));
    }
    String auth = entry.path("auth").asText("");
    if (!auth.isEmpty()) {
      return Optional.of(decoded(auth));
    }
    String user = entry.path("username").asText("");
    return user.isEmpty()
        ? Optional.empty()
        : Optional.of(Credential.from(user, entry.path("password").asText("")));
  }

  private Credential decoded(String auth) throws SourceDeniedException {
    String text;
    try {
      text = new String(Base64.getMimeDecoder().decode(auth), UTF_8);
    } catch (IllegalArgumentException _) {
      throw refused(file, "has an auth that is not Base64");
    }
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw refused(file, "has an auth without a colon between user and password");
    }
    return Credential.from(text.substring(0, colon), text.substring(colon + 1));
  }
}

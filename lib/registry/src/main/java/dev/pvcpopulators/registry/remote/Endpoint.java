package dev.pvcpopulators.registry.remote;

import com.google.cloud.tools.jib.registry.RegistryAliasGroup;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.registry.Digest;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One location of a repository: at the registry itself or at a mirror of the registry.
///
/// @param scheme `http` or `https`
/// @param authority `host[:port]`
/// @param name the repository's name at this location, including a mirror's prefix
record Endpoint(String scheme, String authority, String name) {
  private static final Pattern PLACE =
      Pattern.compile(
          "((?:[A-Za-z0-9][A-Za-z0-9.-]{0,253}|\\[[0-9A-Fa-f:.]{2,45}])(?::[0-9]{1,5})?)"
              + "((?:/[A-Za-z0-9._-]{1,128}){0,16})");

  /// Creates an endpoint.
  ///
  /// @param place `host[:port][/prefix]`
  /// @throws IllegalArgumentException if the place has another form
  static Endpoint of(String place, String repository, InsecureHosts insecure) {
    Matcher matcher = requirePlace(place);
    String written = matcher.group(1);
    String prefix = matcher.group(2);
    return new Endpoint(
        insecure.allows(written) ? "http" : "https",
        RegistryAliasGroup.getHost(written),
        prefix.isEmpty() ? repository : prefix.substring(1) + "/" + repository);
  }

  static Matcher requirePlace(String place) {
    Matcher matcher = PLACE.matcher(place);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("Expected HOST[:PORT][/PREFIX], found '" + place + "'");
    }
    return matcher;
  }

  /// Returns whether an entry of the allowlist allows this repository. An entry without a prefix
  /// allows all repositories of its registry. An entry with a prefix allows only the repository
  /// whose name is the prefix, and the repositories whose names begin with the prefix and `/`. All
  /// names of Docker Hub are equivalent.
  ///
  /// @param place the entry: `host[:port][/prefix]`
  /// @throws IllegalArgumentException if the place has another form
  boolean allowedBy(String place) {
    Matcher matcher = requirePlace(place);
    String prefix = matcher.group(2).isEmpty() ? "" : matcher.group(2).substring(1);
    return RegistryAliasGroup.getAliasesGroup(withoutDefaultPort(authority))
            .contains(withoutDefaultPort(matcher.group(1)))
        && (prefix.isEmpty() || name.equals(prefix) || name.startsWith(prefix + "/"));
  }

  private String withoutDefaultPort(String host) {
    return InsecureHosts.withoutPort(host, scheme.equals("https") ? ":443" : ":80");
  }

  /// Checks the name of a registry.
  ///
  /// @throws IllegalArgumentException if the text does not have the form `host[:port]`
  static void requireAuthority(String text) {
    Matcher matcher = PLACE.matcher(text);
    if (!matcher.matches() || !matcher.group(2).isEmpty()) {
      throw new IllegalArgumentException("Expected HOST[:PORT], found '" + text + "'");
    }
  }

  /// Returns the URL of a manifest (OCI distribution-spec 1.1, end-3).
  ///
  /// @param qualifier tag or digest
  URI manifest(String qualifier) {
    return URI.create(base() + "manifests/" + qualifier);
  }

  /// Returns the URL of a blob (OCI distribution-spec 1.1, end-2).
  URI blob(Digest digest) {
    return URI.create(base() + "blobs/" + digest);
  }

  private String base() {
    return scheme + "://" + authority + "/v2/" + name + "/";
  }

  /// Returns `host[:port]/name`.
  @Override
  public String toString() {
    return authority + "/" + name;
  }
}

package dev.pvcpopulators.registry.remote;

import com.google.cloud.tools.jib.registry.RegistryAliasGroup;
import dev.pvcpopulators.http.InsecureHosts;
import java.util.List;
import java.util.regex.Matcher;

/// The allowlist of registries for images.
///
/// A place is `host[:port][/prefix]`. A place without a prefix allows all repositories of its
/// registry. A place with a prefix allows only the repository whose name is the prefix, and the
/// repositories whose names begin with the prefix and `/`. All names of Docker Hub are equivalent.
/// The list does not apply to mirrors, which a separate setting names. The list also does not apply
/// to the token servers and storage servers that an allowed registry names.
///
/// @param places the places; an empty list allows all registries
record AllowedRegistries(List<String> places) {
  AllowedRegistries {
    places = List.copyOf(places);
  }

  boolean allows(Endpoint registry) {
    return places.isEmpty() || places.stream().anyMatch(place -> allows(place, registry));
  }

  private static boolean allows(String place, Endpoint registry) {
    Matcher matcher = Endpoint.requirePlace(place);
    String prefix = matcher.group(2).isEmpty() ? "" : matcher.group(2).substring(1);
    return sameHost(matcher.group(1), registry)
        && (prefix.isEmpty()
            || registry.name().equals(prefix)
            || registry.name().startsWith(prefix + "/"));
  }

  private static boolean sameHost(String host, Endpoint registry) {
    String ours = normalized(host, registry.scheme());
    return RegistryAliasGroup.getAliasesGroup(normalized(registry.authority(), registry.scheme()))
        .contains(ours);
  }

  private static String normalized(String authority, String scheme) {
    return InsecureHosts.withoutPort(authority, scheme.equals("https") ? ":443" : ":80");
  }
}

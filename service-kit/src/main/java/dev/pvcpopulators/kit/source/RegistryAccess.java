package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.http.file.CredentialFiles;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.registry.remote.Credentials;
import dev.pvcpopulators.registry.remote.RegistryOptions;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Opens images with the credentials and options in the settings. The settings name files, which
/// each call of [#open] reads again, because Secrets rotate.
///
/// @param prefix the prefix of the settings' environment variables, such as `REGISTRY_COPY_`
public record RegistryAccess(RegistrySettings settings, String prefix) {
  /// Returns the image's source. A registry is contacted only when data is read.
  ///
  /// @throws VolumeException with `Failure.InvalidRequest` if a setting is invalid, if a file that
  ///   a setting names cannot be read, or if the image's name in a layout or archive is invalid
  public ImageSource open(ChosenImage image) throws IOException, VolumeException {
    try {
      return ImageSource.open(image.reference(), options(image.trusted()));
    } catch (IllegalArgumentException e) {
      throw VolumeException.invalid("Reading the settings for registries: " + e.getMessage(), e);
    }
  }

  private RegistryOptions options(boolean trusted) {
    return new RegistryOptions(
        credentials(trusted),
        settings.caFile(),
        Set.copyOf(settings.insecureRegistries().orElse(List.of())),
        settings.allowedRegistries().orElse(List.of()),
        mirrors(settings.mirrors().orElse("")),
        settings.retries(),
        settings.connectTimeout(),
        settings.idleTimeout(),
        !trusted,
        prefix);
  }

  /// Returns the credentials for a registry.
  ///
  /// @param trusted whether the configured user name and password are intended for the registry
  private Credentials credentials(boolean trusted) {
    List<Path> configs = settings.authFile().map(List::of).orElse(List.of());
    Optional<String> username = secret(settings.username(), settings.usernameFile());
    Optional<String> password = secret(settings.password(), settings.passwordFile());
    return new Credentials(
        trusted ? username : Optional.empty(),
        trusted ? password : Optional.empty(),
        configs,
        System.getenv());
  }

  private static Optional<String> secret(Optional<String> value, Optional<Path> file) {
    return value.or(() -> file.map(CredentialFiles::secret));
  }

  /// Parses entries of the form `REGISTRY=MIRROR[,MIRROR]…`, which are separated by white space.
  ///
  /// @return the mirrors by registry
  /// @throws IllegalArgumentException if an entry has another form
  static Map<String, List<String>> mirrors(String text) {
    Map<String, List<String>> mirrors = new LinkedHashMap<>();
    for (String entry : text.strip().split("\\s+", -1)) {
      if (entry.isEmpty()) {
        continue;
      }
      int equals = entry.indexOf('=');
      List<String> hosts =
          Arrays.stream(entry.substring(equals + 1).split(",", -1))
              .filter(host -> !host.isBlank())
              .toList();
      if (equals < 1 || hosts.isEmpty()) {
        throw new IllegalArgumentException(
            "Expected REGISTRY=MIRROR[,MIRROR], found '" + entry + "'");
      }
      mirrors.put(entry.substring(0, equals).toLowerCase(Locale.ROOT), hosts);
    }
    return mirrors;
  }
}

package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.source.RegistryAccess;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/// Produces the access to registries for this service's settings.
final class Registries {
  @Produces
  @Singleton
  RegistryAccess access(RegistryCopySettings settings) {
    return new RegistryAccess(settings, "REGISTRY_COPY_");
  }
}

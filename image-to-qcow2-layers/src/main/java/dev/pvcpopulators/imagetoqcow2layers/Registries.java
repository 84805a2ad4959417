package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.kit.source.RegistryAccess;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/// Creates the access to registries for this service's settings.
final class Registries {
  @Produces
  @Singleton
  RegistryAccess access(LayersSettings settings) {
    return new RegistryAccess(settings, LayersRequest.PREFIX);
  }
}

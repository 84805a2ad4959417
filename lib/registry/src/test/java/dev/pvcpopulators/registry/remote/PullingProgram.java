package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.registry.SourceReference;
import java.io.IOException;
import java.util.Set;

/// Reads a manifest with the credentials of its environment: a process of its own, because that is
/// where `PATH` decides which credential helper runs.
final class PullingProgram {
  private PullingProgram() {}

  public static void main(String[] arguments) throws IOException {
    SourceReference.Remote reference = (SourceReference.Remote) SourceReference.parse(arguments[0]);
    RegistryOptions options =
        RegistryOptions.defaults()
            .withInsecureRegistries(Set.of(reference.registry()))
            .withCredentials(Credentials.ofEnvironment());
    try (RegistryStore store = RegistryStore.open(reference, options)) {
      System.out.println(store.root().digest());
    }
  }
}

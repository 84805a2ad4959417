package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.registry.SourceReference;
import java.io.IOException;
import java.util.Set;

/// Reads a manifest with the credentials of the environment. This program runs in a separate
/// process, because the `PATH` of the process determines the credential helper.
final class PullingProgram {
  private PullingProgram() {}

  public static void main(String[] arguments) throws IOException {
    SourceReference.Remote reference = (SourceReference.Remote) SourceReference.parse(arguments[0]);
    ChosenOptions options =
        ChosenOptions.defaults()
            .withInsecureRegistries(Set.of(reference.registry()))
            .withCredentials(GivenCredentials.ofEnvironment());
    try (RegistryStore store = RegistryStore.open(reference, options.options())) {
      System.out.println(store.root().digest());
    }
  }
}

package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.SourceReference;
import java.io.IOException;

/// Opens the stores that its arguments refer to. For each store, prints the digest of its root or
/// the type of the exception. PermissionTest starts this program without root's file capabilities.
final class WithoutPermission {
  private WithoutPermission() {}

  public static void main(String[] arguments) {
    for (String argument : arguments) {
      try (BlobStore store =
          switch (SourceReference.parse(argument)) {
            case SourceReference.Local local ->
                local.transport() == SourceReference.Transport.DOCKER_ARCHIVE
                    ? DockerArchiveStore.open(local)
                    : LayoutStore.open(local);
            case SourceReference.Remote remote -> throw new AssertionError(remote);
          }) {
        System.out.println(store.root().digest());
      } catch (IOException e) {
        System.out.println(e.getClass().getSimpleName());
      }
    }
  }
}

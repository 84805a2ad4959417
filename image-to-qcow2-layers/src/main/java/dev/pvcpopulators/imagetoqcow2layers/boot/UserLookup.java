package dev.pvcpopulators.imagetoqcow2layers.boot;

import dev.pvcpopulators.ext4.TreeReader;
import java.io.IOException;
import java.util.List;

/// Resolves the `User` of an image's configuration in the image's own `/etc/passwd` and
/// `/etc/group`: `user`, `uid`, `user:group`, `uid:gid` (OCI image-spec 1.1, config.md).
@SuppressWarnings("DoNotCallSuggester")
public final class UserLookup {
  private UserLookup() {}

  /// Who somebody is.
  ///
  /// @param groups supplementary ones: those that name the user, unless a group was given
  /// @param home of the user; `/` where the image does not say
  public record User(long uid, long gid, List<Long> groups, String home) {
    public User {
      groups = List.copyOf(groups);
    }
  }

  /// Finds a user.
  ///
  /// @param user as configured; empty for root
  /// @throws UnknownUserException where the image knows no such name
  public static User find(String user, TreeReader tree) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}

package dev.pvcpopulators.volume.settings;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// The files and directories that settings name.
@FunctionalInterface
public interface NamedFiles {
  /// What is wrong with one; empty where nothing is.
  Optional<String> fault(Path path, Look look);

  /// What is looked at.
  @FunctionalInterface
  interface Look {
    /// What is wrong; empty where nothing is.
    Optional<String> fault(Path path) throws IOException;
  }

  /// Those of this machine, as this process may use them.
  static NamedFiles here() {
    return (path, look) -> {
      try {
        return look.fault(path);
      } catch (NoSuchFileException _) {
        return Optional.of("no such file");
      } catch (AccessDeniedException _) {
        return Optional.of("not readable by the user that this runs as");
      } catch (FileSystemException e) {
        return Optional.of(Objects.requireNonNullElse(e.getReason(), e.getClass().getSimpleName()));
      } catch (IOException e) {
        return Optional.of(Objects.requireNonNullElse(e.getMessage(), e.toString()));
      }
    };
  }

  /// Those of another machine, which nobody can look at: nothing is wrong with them.
  static NamedFiles elsewhere() {
    return (_, _) -> Optional.empty();
  }
}

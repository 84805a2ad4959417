package dev.pvcpopulators.kit.settings;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/// Access to the files and directories that settings name.
@FunctionalInterface
public interface NamedFiles {
  /// Returns the reason why a path does not pass a check; empty if it passes.
  Optional<String> fault(Path path, Check look);

  /// A check of one path.
  @FunctionalInterface
  interface Check {
    /// Returns the reason why a path does not pass this check; empty if it passes.
    Optional<String> fault(Path path) throws IOException;
  }

  /// Returns access to the files that this process sees, with the rights of this process.
  static NamedFiles here() {
    return (path, look) -> {
      try {
        return look.fault(path);
      } catch (NoSuchFileException _) {
        return Optional.of("no such file");
      } catch (AccessDeniedException _) {
        return Optional.of("not readable by the user that this process runs as");
      } catch (FileSystemException e) {
        return Optional.of(Objects.requireNonNullElse(e.getReason(), e.getClass().getSimpleName()));
      } catch (IOException e) {
        return Optional.of(Objects.requireNonNullElse(e.getMessage(), e.toString()));
      }
    };
  }

  /// Returns an instance for the settings of a process on another host. The files of that host
  /// cannot be checked here, so every path passes.
  static NamedFiles elsewhere() {
    return (_, _) -> Optional.empty();
  }
}

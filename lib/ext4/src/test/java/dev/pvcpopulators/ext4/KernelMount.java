package dev.pvcpopulators.ext4;

import dev.pvcpopulators.it.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Runs scripts in a file system that the kernel mounts from an image.
///
/// Each mount has its own mount namespace, so that a new container on the same host cannot copy the
/// mount. A copy would keep the file system mounted after the end of the script. Then the image
/// file could differ from the kernel's cache.
public final class KernelMount {
  private static final String RUN =
      """
      script=$1 options=$2 image=$3
      shift 3
      point=$(mktemp -d)
      flock /dev/loop-control mount -o "loop,$options" "$image" "$point"
      cd "$point"
      status=0
      bash -euc "$script" script "$@" || status=$?
      cd /
      umount "$point"
      rmdir "$point"
      exit "$status"
      """;

  private KernelMount() {}

  /// Runs a bash script in the root of the file system. The script stops at the first failed
  /// command. The script reads `arguments` as `$1`, `$2` and so on.
  ///
  /// @param options options of mount(8), such as `ro`
  /// @return the script's standard output
  public static String run(Path image, String options, String script, Object... arguments) {
    List<Object> words =
        new ArrayList<>(
            List.of(
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "bash",
                "-euc",
                RUN,
                "mounted",
                script,
                options,
                image));
    words.addAll(Arrays.asList(arguments));
    return Command.run(words.toArray());
  }
}

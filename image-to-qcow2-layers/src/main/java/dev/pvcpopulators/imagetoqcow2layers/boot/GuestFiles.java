package dev.pvcpopulators.imagetoqcow2layers.boot;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.List;
import java.util.stream.Collectors;

/// The files in the second archive of the initial file system, which contain the settings of one
/// image. `init.sh` and `process.sh` use these files.
///
/// @param process the process that the machine runs
/// @param launch the text of `launch.sh`
record GuestFiles(GuestProcess process, String launch) {
  /// The name of the only user in the archive's own `/etc/passwd`. This user has the groups of the
  /// process.
  private static final String USER = "process";

  /// Returns the content of `/image/settings`, which `/init` reads as a script.
  ///
  /// @throws UnsupportedFeatureException if the stop signal of the process is unknown
  String settings() throws UnsupportedFeatureException {
    ShellScript script =
        new ShellScript()
            .set("hostname", process.hostname())
            .set("uid", Long.toString(process.uid()))
            .set("working_directory", process.workingDirectory())
            .set("stop_signal", Integer.toString(StopSignal.parse(process.stopSignal()).number()))
            .lines("for_each_volume() {\n  :\n");
    for (String volume : process.volumes()) {
      script.call("  \"$1\"", List.of(volume));
    }
    return script.lines("}\n").toString();
  }

  /// Returns the content of `/image/process`, a script that ends with an `exec` of `env`. This
  /// `env` starts the image's program through `nsenter`.
  String launchScript() {
    String name = process.arguments().getFirst();
    // `process.sh` opens `/image/process` as descriptor 3. `exec 3<&-` closes descriptor 3.
    return new ShellScript()
        .lines(launch)
        .call("enter", List.of(process.workingDirectory()))
        .call("look_up", List.of(name, process.variable("PATH")))
        .lines("require_executable \"$program\"\n")
        .lines("set --")
        .call("", process.arguments().subList(1, process.arguments().size()))
        .lines("exec 3<&-\n")
        .lines("exec env -i -- ")
        .lines(
            process.environment().stream()
                .map(ShellScript::quoted)
                .collect(Collectors.joining(" \\\n  ")))
        .lines(" \\\n  nsenter -F -S " + process.uid() + " -- \"$program\" \"$@\"\n")
        .toString();
  }

  /// Returns the content of `/etc/passwd` with one user, for `su`. The uid is 0, because a process
  /// of another user could not change its root directory.
  String passwd() {
    return USER + ":x:0:" + process.gid() + "::/:/bin/busybox\n";
  }

  /// Returns the content of `/etc/group`, in which the user of [#passwd] is a member of the
  /// supplementary groups of the process.
  String group() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < process.groups().size(); i++) {
      lines.append("group").append(i).append(":x:").append(process.groups().get(i));
      lines.append(':').append(USER).append('\n');
    }
    return lines.toString();
  }
}

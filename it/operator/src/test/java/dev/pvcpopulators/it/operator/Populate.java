package dev.pvcpopulators.it.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The packaged program `kubectl populate`, with a kubeconfig and the namespace of a tenant.
record Populate(Path kubeconfig, String namespace) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// Returns the program with a kubeconfig that gives all rights.
  ///
  /// @param server the URL of the API server, or of a valve in front of the API server
  static Populate at(Cluster cluster, String namespace, String server) throws IOException {
    return new Populate(
        cluster.plane().kubeconfig("populate-" + namespace, cluster.plane().token(), server),
        namespace);
  }

  List<String> command(Object... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                // A background process may ignore SIGINT, and its children inherit this setting.
                // `env` restores the default.
                "env",
                "--default-signal=INT",
                Command.root().resolve("kubectl-populate/kubectl-populate").toString()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    command.addAll(List.of("--kubeconfig=" + kubeconfig, "--namespace=" + namespace));
    return command;
  }

  /// Runs the program until it ends.
  Command.Ran run(Object... arguments) {
    return Command.tried(command(arguments));
  }

  /// Starts the program with its output in a file.
  ServerProcess start(Path log, Object... arguments) throws IOException {
    return ServerProcess.start(log, command(arguments));
  }

  /// Parses the last line of the output of a command that ran with `--json` or `-o json`.
  static JsonNode result(Command.Ran ran) throws IOException {
    return JSON.readTree(ran.out().lines().reduce("", (_, last) -> last));
  }
}

package dev.pvcpopulators.it.torture;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// How a Job ended, by its exit status and its termination log.
final class JobEnd {
  private static final int KILLED = 137;
  private static final int TERMINATED = 143;
  private static final int MAX_MESSAGE = 4096;
  private static final String READY = "Ready";

  /// What a line of progress begins with: a phase.
  private static final Pattern PROGRESS =
      Pattern.compile("(Absent|Pending|Transferring|Finalizing|Ready|Failed|Deleting) ");

  private static final String PROBLEM = "urn:pvc-populators:problem:";

  private JobEnd() {}

  /// Waits for it.
  ///
  /// @throws Broken where the termination log does not say the same
  static Ending of(Service job, Path message) throws IOException, InterruptedException {
    int exit = job.awaitExit();
    if (exit == KILLED) {
      return new Ending.Exited(exit, "");
    }
    if (exit == TERMINATED && Files.notExists(message) && !begun(job.log())) {
      return new Ending.Exited(exit, "");
    }
    JsonNode result = result(exit, message);
    String type = result.path("failure").path("type").asText();
    if (exit == TERMINATED && type.isEmpty() && result.path("phase").asText().equals(READY)) {
      return new Ending.Exited(exit, ""); // The signal came when the disk was there.
    }
    if (exit != TERMINATED) {
      Broken.unless("exit code in the termination log", exit, result.path("exitCode").asInt(-1));
    }
    if (exit == 0) {
      return new Ending.Made();
    }
    if (!type.startsWith(PROBLEM)) {
      throw new Broken("termination log of exit status " + exit, "a problem's type", result);
    }
    return new Ending.Exited(exit, type.substring(PROBLEM.length()));
  }

  /// Whether it had said anything of itself: a process that ends while it still starts cannot.
  private static boolean begun(String log) {
    return log.lines().anyMatch(line -> PROGRESS.matcher(line).lookingAt());
  }

  private static JsonNode result(int exit, Path message) throws IOException {
    if (Files.notExists(message)) {
      throw new Broken("termination log of exit status " + exit, "a message", "no file");
    }
    if (Files.size(message) > MAX_MESSAGE) {
      throw new Broken("length of the termination log", MAX_MESSAGE, Files.size(message));
    }
    String text = Files.readString(message);
    try {
      return Json.text(text.lines().toList().getLast());
    } catch (IOException e) {
      throw new Broken("termination log", e);
    }
  }
}

package dev.pvcpopulators.it.torture.outcome;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// Reads the outcome of a Job from its exit status and its termination log.
public final class JobOutcome {
  private static final int KILLED = 137;
  private static final int TERMINATED = 143;
  private static final int MAX_MESSAGE = 4096;
  private static final String READY = "Ready";

  /// Matches the phase at the beginning of a progress line.
  private static final Pattern PROGRESS =
      Pattern.compile("(Absent|Pending|Transferring|Finalizing|Ready|Failed|Deleting) ");

  private static final String PROBLEM = "urn:pvc-populators:problem:";

  private JobOutcome() {}

  /// Waits for the end of a Job, and returns the Job's outcome.
  ///
  /// @param message the file of the termination log. The file may be missing after SIGKILL, or if
  ///   SIGTERM has ended the process during its start.
  /// @throws BrokenInvariant if the termination log is missing in any other case, is too long or
  ///   malformed, or contradicts the exit status
  public static Outcome of(Service job, Path message) throws IOException, InterruptedException {
    int exit = job.awaitExit();
    if (exit == KILLED) {
      return new Outcome.Exited(exit, "");
    }
    if (exit == TERMINATED && Files.notExists(message) && !begun(job.log())) {
      return new Outcome.Exited(exit, "");
    }
    JsonNode result = result(exit, message);
    String type = result.path("failure").path("type").asText();
    if (exit == TERMINATED && type.isEmpty() && result.path("phase").asText().equals(READY)) {
      return new Outcome.Exited(exit, ""); // The signal arrived after the disk was complete.
    }
    if (exit != TERMINATED) {
      BrokenInvariant.unless(
          "exit code in the termination log", exit, result.path("exitCode").asInt(-1));
    }
    if (exit == 0) {
      return new Outcome.Made();
    }
    if (!type.startsWith(PROBLEM)) {
      throw new BrokenInvariant(
          "termination log of exit status " + exit, "a problem's type", result);
    }
    return new Outcome.Exited(exit, type.substring(PROBLEM.length()));
  }

  /// Returns whether the job has printed progress. A process that ends during its start prints no
  /// progress, and writes no result.
  private static boolean begun(String log) {
    return log.lines().anyMatch(line -> PROGRESS.matcher(line).lookingAt());
  }

  private static JsonNode result(int exit, Path message) throws IOException {
    if (Files.notExists(message)) {
      throw new BrokenInvariant("termination log of exit status " + exit, "a message", "no file");
    }
    if (Files.size(message) > MAX_MESSAGE) {
      throw new BrokenInvariant("length of the termination log", MAX_MESSAGE, Files.size(message));
    }
    String text = Files.readString(message);
    try {
      return Json.text(text.lines().toList().getLast());
    } catch (IOException e) {
      throw new BrokenInvariant("termination log", e);
    }
  }
}

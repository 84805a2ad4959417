package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.Mistake;
import dev.pvcpopulators.kit.settings.StartCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// Reports why a service cannot start.
final class StartRefusal {
  private StartRefusal() {}

  /// Returns a heading and one line for each mistake, and writes this text to the termination log,
  /// where `kubectl describe` finds it.
  static String tell(String service, StartCheck.Result result) {
    List<Mistake> mistakes = result.mistakes();
    StringBuilder text = new StringBuilder(service).append(" refuses to start: ");
    text.append(
        mistakes.size() == 1 ? "1 setting is wrong" : mistakes.size() + " settings are wrong");
    mistakes.forEach(mistake -> text.append("\n  ").append(mistake.sentence()));
    return leave(text.toString(), result);
  }

  /// Writes a text to the termination log, where `kubectl describe` finds it.
  ///
  /// @return the text, followed by the reason if the text could not be written
  static String leave(String text, StartCheck.Result result) {
    Path log = result.given().shared().terminationLog();
    try {
      TerminationMessage.write(log, TerminationMessage.cut(text.getBytes(StandardCharsets.UTF_8)));
      return text;
    } catch (IOException e) {
      return text + "\nWriting " + log + ": " + e;
    }
  }
}

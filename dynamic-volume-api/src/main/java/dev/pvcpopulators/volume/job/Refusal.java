package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.settings.Mistake;
import dev.pvcpopulators.volume.settings.StartCheck;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// What a service says that cannot start with its settings.
final class Refusal {
  private Refusal() {}

  /// One line for each mistake. The same is left where `kubectl describe` finds it.
  static String tell(String service, StartCheck.Result result) {
    return leave(text(service, result.mistakes()), result);
  }

  /// Leaves a text where `kubectl describe` finds it.
  ///
  /// @return the text, and why it could not be left where that is so
  static String leave(String text, StartCheck.Result result) {
    Path log = result.given().shared().terminationLog();
    try {
      TerminationMessage.write(log, TerminationMessage.cut(text.getBytes(StandardCharsets.UTF_8)));
      return text;
    } catch (IOException e) {
      return text + "\nWriting " + log + ": " + e;
    }
  }

  static String text(String service, List<Mistake> mistakes) {
    StringBuilder text = new StringBuilder(service).append(" refuses to start: ");
    text.append(
        mistakes.size() == 1 ? "1 setting is wrong" : mistakes.size() + " settings are wrong");
    mistakes.forEach(mistake -> text.append("\n  ").append(mistake.sentence()));
    return text.toString();
  }
}

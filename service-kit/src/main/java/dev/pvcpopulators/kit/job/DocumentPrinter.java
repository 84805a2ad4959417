package dev.pvcpopulators.kit.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.terminal.JsonReport;
import dev.pvcpopulators.terminal.PlainText;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Problem;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;

/// Prints the document of a flag such as `--dry-run`. The setting `populator.output` selects the
/// format: YAML for `auto` and `lines`, JSON for `json`, and no document for `quiet`.
@Singleton
public class DocumentPrinter {
  private final PopulatorSettings.Output output;

  DocumentPrinter(PopulatorSettings settings) {
    output = settings.output();
  }

  /// Prints the document.
  ///
  /// @return the exit code of the process: 0
  public int tell(ObjectNode document) {
    return print(document, document.deepCopy(), 0);
  }

  /// Prints a failure as a document, and as a sentence to standard error.
  ///
  /// @return the exit code of the process
  public int tell(Failure failure) {
    ObjectNode problem = Problem.of(failure).document();
    System.err.println(PlainText.line(failure.detail()));
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.set("failure", problem);
    return print(problem, result, failure.exitCode());
  }

  /// Prints a document in YAML, or the result in JSON.
  ///
  /// @param result gets the field `exitCode`
  private int print(ObjectNode document, ObjectNode result, int code) {
    switch (output) {
      case AUTO, LINES ->
          System.out.println(new String(Notation.YAML.write(document), StandardCharsets.UTF_8));
      case JSON -> JsonReport.end(System.out, result.put("exitCode", code));
      case QUIET -> {}
    }
    return code;
  }
}

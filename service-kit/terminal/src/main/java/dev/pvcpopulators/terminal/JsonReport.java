package dev.pvcpopulators.terminal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeStatus;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Prints only JSON, one object per line, for programs. The field `event` is `result` in the last
/// object, and `progress` in the others. A `progress` object is printed after each interval, and
/// after each change to a phase that is not terminal; its other fields are those of the status
/// document. The other fields of the `result` object are those of the parameter `result` of
/// [JobReport#end].
public record JsonReport(PrintStream out, Duration interval) implements JobReport {
  private static final String PROGRESS = "progress";
  private static final String RESULT = "result";

  @Override
  public void progress(VolumeStatus status) {
    print(out, PROGRESS, status.document());
  }

  @Override
  public void end(VolumeStatus status, @Nullable Failure failure, ObjectNode result) {
    print(out, RESULT, result);
  }

  /// Prints the only object of a job that has nothing to report before its end.
  public static void end(PrintStream out, ObjectNode result) {
    print(out, RESULT, result);
  }

  private static void print(PrintStream out, String event, ObjectNode fields) {
    ObjectNode line = JsonNodeFactory.instance.objectNode().put("event", event);
    line.setAll(fields);
    out.println(PlainText.json(new String(Notation.JSON.write(line), StandardCharsets.UTF_8)));
    out.flush();
  }
}

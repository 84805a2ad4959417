package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// A service under torture, with inputs that are made once.
public interface Subject extends AutoCloseable {
  /// Returns the name of the service. If the process runs as a Job, the name has the suffix `-job`,
  /// as in `registry-copy-job`.
  String name();

  List<String> inputs();

  /// Returns the possible faults. A fault that is listed twice occurs twice as often.
  List<Fault> faults();

  /// Creates the attempt of a round, and does not start it.
  Attempt attempt(Round round) throws IOException, InterruptedException;

  /// Returns the directory for temporary files of the subject's process.
  Path temporary();

  @Override
  void close() throws IOException;
}

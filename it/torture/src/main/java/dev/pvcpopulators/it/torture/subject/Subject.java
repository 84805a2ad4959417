package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// A service under torture, with inputs that were made once.
public interface Subject extends AutoCloseable {
  /// The service's name, and how it runs: `registry-copy`, `registry-copy job`.
  String name();

  /// The inputs' names.
  List<String> inputs();

  /// The faults that it can meet. One that stands there twice comes twice as often.
  List<Fault> faults();

  /// One job of it, on an empty volume.
  Attempt attempt(Round round) throws IOException, InterruptedException;

  /// The directory that its process has for temporary files.
  Path temporary();

  @Override
  void close() throws IOException;
}

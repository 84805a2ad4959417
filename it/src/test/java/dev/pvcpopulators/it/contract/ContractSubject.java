package dev.pvcpopulators.it.contract;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.container.Container;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/// The parts of the contract tests that differ between services: where disks come from, how to hold
/// and break the transfer, and what the volume contains afterwards.
interface ContractSubject extends AutoCloseable {
  /// A creation whose source has sent about half of its bytes, and then waits.
  interface Half extends AutoCloseable {
    /// Waits until half of the bytes have arrived; also works for a Job, which may not answer
    /// requests.
    void await() throws IOException, InterruptedException;

    /// Lets the source send the rest.
    void rest() throws IOException;

    /// Ends the transfer without the rest.
    @Override
    void close() throws IOException;
  }

  /// Returns a creation whose source sends through a valve that can stop the bytes.
  static Half behind(Valve valve) {
    return new Half() {
      @Override
      public void await() throws InterruptedException {
        valve.awaitHolding();
      }

      @Override
      public void rest() {
        valve.open();
      }

      @Override
      public void close() {
        valve.open();
      }
    };
  }

  /// The result of an unusable source.
  ///
  /// @param status the status of the answer
  /// @param type the type of the problem, without the common prefix
  /// @param exit the exit code of a Job
  record Refusal(int status, String type, int exit) {}

  /// Returns the subject of a service, with its sources in a directory: the class named after the
  /// service.
  static ContractSubject of(String service, Path directory) throws IOException {
    StringBuilder name = new StringBuilder();
    for (String word : service.split("-", -1)) {
      name.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
    }
    String type = ContractSubject.class.getPackageName() + "." + name + "Subject";
    try {
      return (ContractSubject)
          Class.forName(type).getDeclaredMethod("in", Path.class).invoke(null, directory);
    } catch (InvocationTargetException e) {
      throw new IOException("Making " + type, e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("The contract's tests need " + type + " for " + service, e);
    }
  }

  /// Returns a container of the service with a valid source.
  Container container(Path volume) throws IOException;

  /// Returns a YAML body that names an unusable source; empty if the service accepts no fields.
  Optional<String> refusedBody();

  /// Returns a container of the service with an unusable source.
  Container refusing(Path volume) throws IOException;

  /// Returns the expected result of the unusable source.
  Refusal refusal();

  /// Holds the following transfers after about half; for uploads the client is held.
  void hold();

  /// Continues after [#hold]: for uploads, uploads half of the disk once the volume was requested.
  Half half(Service service) throws IOException, InterruptedException;

  /// For uploads, uploads the disk once the volume was requested; otherwise does nothing.
  void feed(Service service) throws IOException, InterruptedException;

  /// Does the same as [#feed], with the unusable source.
  void feedRefused(Service service) throws IOException, InterruptedException;

  /// Returns a YAML body that differs from the configuration; empty if the service accepts no
  /// fields.
  Optional<String> otherBody();

  /// Returns whether a request with [#otherBody] makes an existing volume larger.
  boolean grows();

  /// Fails the test unless the volume has the expected content.
  ///
  /// @param json the answer of the service
  void assertMade(Path volume, Answer json) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}

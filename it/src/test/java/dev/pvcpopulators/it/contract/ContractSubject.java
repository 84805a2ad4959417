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

/// The parts of the contract tests that differ between services: the sources of the disks, how to
/// hold a transfer, and the expected content of the volume.
interface ContractSubject extends AutoCloseable {
  /// A creation whose source has sent about half of its bytes, and then waits.
  interface Half extends AutoCloseable {
    /// Waits until the source has sent its half or, for uploads, until bytes have arrived. Also
    /// works for a Job, which may not answer requests.
    void await() throws IOException, InterruptedException;

    /// Lets the source send the rest.
    void rest() throws IOException;

    /// Stops holding the source. An upload ends without the rest; other sources send all further
    /// bytes.
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

  /// The expected result of a request with an unusable source.
  ///
  /// @param status the status of the answer
  /// @param type the type of the problem, without the common prefix
  /// @param exit the exit code of a Job
  record Refusal(int status, String type, int exit) {}

  /// Returns the subject of a service: an instance of the class that is named after the service.
  ///
  /// @param directory an existing directory for the sources
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

  /// Lets the source send only about half of its bytes. Has no effect for uploads, because [#half]
  /// holds the client.
  void hold();

  /// Returns the creation that was requested after [#hold]. For uploads, waits until the volume was
  /// requested, and uploads half of the disk.
  Half half(Service service) throws IOException, InterruptedException;

  /// For uploads, waits until the volume was requested, and uploads the disk. Otherwise does
  /// nothing.
  void feed(Service service) throws IOException, InterruptedException;

  /// For uploads, waits until the volume was requested, and uploads the unusable source. Otherwise
  /// does nothing.
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

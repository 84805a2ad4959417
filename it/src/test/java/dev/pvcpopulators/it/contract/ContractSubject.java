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

/// A service for the contract tests, with its source of disks and the checks of its volume.
interface ContractSubject extends AutoCloseable {
  /// A running creation of a volume. The source stops after about half of its bytes.
  interface Half extends AutoCloseable {
    /// Waits until the source has sent half of its bytes. For an upload, waits until bytes have
    /// arrived.
    void await() throws IOException, InterruptedException;

    void rest() throws IOException;

    /// Releases the source. An upload ends without the rest of the disk. Every other source sends
    /// the rest of its bytes.
    @Override
    void close() throws IOException;
  }

  /// Returns the creation of a volume from a source that is behind a valve.
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

  /// The expected answer of a service, and the expected exit code of a Job, if the source is
  /// unusable.
  ///
  /// @param status the status of the answer
  /// @param type the type in the problem details, without the common prefix
  /// @param exit the exit code of a Job
  record Refusal(int status, String type, int exit) {}

  /// Creates the subject of a service. The name of the subject's class is the name of the service
  /// in camel case, with the suffix `Subject`.
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

  /// Returns a YAML body that names an unusable source, or empty if the service accepts no fields
  /// in a body.
  Optional<String> refusedBody();

  /// Returns a container of the service with an unusable source.
  Container refusing(Path volume) throws IOException;

  Refusal refusal();

  /// Makes the source stop after about half of its bytes. For uploads, does nothing, because
  /// [#half] stops the client.
  void hold();

  /// Returns the creation that a client requested after [#hold]. For uploads, first waits for this
  /// request, and then uploads half of the disk.
  Half half(Service service) throws IOException, InterruptedException;

  /// For uploads, waits until a client has requested the volume, and then uploads the disk. For
  /// other services, does nothing.
  void feed(Service service) throws IOException, InterruptedException;

  /// For uploads, waits until a client has requested the volume, and then uploads the unusable
  /// source. For other services, does nothing.
  void feedRefused(Service service) throws IOException, InterruptedException;

  /// Returns a YAML body that names a source other than the configured source, or empty if the
  /// service accepts no fields in a body.
  Optional<String> otherBody();

  /// Returns whether a request with [#otherBody] adds a disk to an existing volume. If not, the
  /// service refuses the request.
  boolean grows();

  /// Checks that the volume has the expected content.
  ///
  /// @param json the JSON answer of the service
  void assertMade(Path volume, Answer json) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}

package dev.pvcpopulators.it.contract;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.container.Container;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/// A service as the contract's tests know it: where its disks come from, how that is slowed down
/// and broken, and what is on the volume then. Everything else is the same for all.
interface ContractSubject extends AutoCloseable {
  /// A creation whose source has given about half, and waits.
  interface Half extends AutoCloseable {
    /// Waits until half has come; also of a Job, which need not answer requests.
    void await() throws IOException, InterruptedException;

    /// Lets the rest come.
    void rest() throws IOException;

    /// Leaves it at that.
    @Override
    void close() throws IOException;
  }

  /// What comes of a source that cannot be used.
  ///
  /// @param status of the answer
  /// @param type of the problem, without what all of them begin with
  /// @param exit code of a Job
  record Refusal(int status, String type, int exit) {}

  /// Returns the subject of a service, with sources made in a directory: of http-upload what
  /// `HttpUploadSubject.in` makes.
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

  /// Makes its disk of a source that is as it should be.
  Container container(Path volume) throws IOException;

  /// A body that asks for a source that cannot be used, as YAML; empty where no field may be given.
  Optional<String> refusedBody();

  /// Makes its disk of a source that cannot be used.
  Container refusing(Path volume) throws IOException;

  /// What comes of that.
  Refusal refusal();

  /// From now on the source gives about half, and waits; of services that are brought their disks,
  /// whoever brings them does.
  void hold();

  /// Goes on from [#hold]: where the service has to be brought its disk, brings half of it, once
  /// somebody has asked for it.
  Half half(Service service) throws IOException, InterruptedException;

  /// Brings the disk where the service has to be brought it, once somebody has asked for it.
  void feed(Service service) throws IOException, InterruptedException;

  /// As above, what cannot be used.
  void feedRefused(Service service) throws IOException, InterruptedException;

  /// A body that asks for something else than the configuration, as YAML; empty where no field may
  /// be given.
  Optional<String> otherBody();

  /// Whether a volume that is there takes what [#otherBody] asks for, too.
  boolean grows();

  /// Fails the test where the volume does not have what it should.
  ///
  /// @param json what the service has answered
  void assertMade(Path volume, Answer json) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}

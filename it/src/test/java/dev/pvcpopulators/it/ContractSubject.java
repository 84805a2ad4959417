package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Path;
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

  /// Every service of this project.
  enum Kind {
    HTTP_UPLOAD,
    REGISTRY_COPY,
    REGISTRY_STREAM_ISCSI,
    IMAGE_TO_QCOW2_LAYERS;

    /// The name of its module.
    String service() {
      return switch (this) {
        case HTTP_UPLOAD -> "http-upload";
        case REGISTRY_COPY -> "registry-copy";
        case REGISTRY_STREAM_ISCSI -> "registry-stream-iscsi";
        case IMAGE_TO_QCOW2_LAYERS -> "image-to-qcow2-layers";
      };
    }

    /// With sources made in a directory.
    ContractSubject subject(Path directory) throws IOException, InterruptedException {
      return switch (this) {
        case HTTP_UPLOAD -> UploadSubject.in(directory);
        case REGISTRY_COPY -> CopySubject.in(directory);
        case REGISTRY_STREAM_ISCSI -> StreamSubject.in(directory);
        case IMAGE_TO_QCOW2_LAYERS -> LayersSubject.in(directory);
      };
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

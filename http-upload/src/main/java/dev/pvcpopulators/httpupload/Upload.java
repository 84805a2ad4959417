package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One upload from its first byte to its end, over any number of connections. Only [UploadSlot]
/// changes an upload, and only while the calling thread holds the slot's lock. There is one
/// exception: [#tell] sets the listener without the slot's lock. The body of the upload has its own
/// lock.
final class Upload {
  private final UploadRequest request;
  private final UploadBody body;
  private final VerifiedBody verified;
  private volatile LongConsumer progress = _ -> {};
  private volatile OptionalLong total;
  private volatile boolean taken;
  private volatile boolean finished;
  private volatile boolean complete;
  private OptionalLong partEnded = OptionalLong.empty();
  private @Nullable Connection connection;
  private @Nullable Connection audience;
  private @Nullable Future<?> creation;

  /// A connection over which a client sends bytes of an upload.
  interface Connection {
    /// Returns the number of nanoseconds for which the service has waited for bytes of this
    /// connection; 0 while the connection is paused.
    long silentFor();

    /// Closes the connection. Bytes that arrive later are not appended to the upload.
    void close();

    /// Sends the outcome to the client, unless the client already has a response or has
    /// disconnected.
    void settle(Outcome outcome);
  }

  /// The outcome of an upload.
  sealed interface Outcome {
    /// The import of the upload succeeded, and the volume is ready.
    record Made(Creation creation) implements Outcome {}

    /// The upload was refused, or failed.
    record Refused(Failure failure) implements Outcome {}
  }

  /// Creates an upload without a connection.
  ///
  /// @param always digest algorithms to compute even if the client has sent no expected digest
  Upload(UploadRequest request, UploadBody body, Set<Algorithm> always) {
    this.request = request;
    this.body = body;
    this.total = request.total();
    this.verified =
        new VerifiedBody(body, request.whole(), always, count -> progress.accept(count));
  }

  /// Returns the first request of this upload.
  UploadRequest request() {
    return request;
  }

  UploadBody body() {
    return body;
  }

  /// Returns the stream that the import reads.
  VerifiedBody verified() {
    return verified;
  }

  /// Sets the listener. Each read by the import calls the listener with the number of bytes read.
  void tell(LongConsumer listener) {
    progress = listener;
  }

  /// Returns the length of the whole upload in bytes, if known.
  OptionalLong total() {
    return total;
  }

  /// Attaches a connection that continues at the offset `received`.
  void attach(Connection now, UploadRequest part, long received) {
    if (part.total().isPresent()) {
      total = part.total();
    }
    if (!part.part().isEmpty() && part.length().isPresent()) {
      verified.expectPart(received, part.first() + part.length().getAsLong(), part.part());
    }
    partEnded = OptionalLong.empty();
    connection = now;
    audience = now;
    body.attach(now);
  }

  /// Detaches the connection.
  ///
  /// @return the number of bytes of the upload received so far, over all connections
  long detach() {
    connection = null;
    long received = body.attach(null);
    verified.partCut(received);
    return received;
  }

  /// Returns the attached connection; null for none.
  @Nullable Connection connection() {
    return connection;
  }

  /// Returns the connection that was attached last, even if it is detached now; its client gets the
  /// outcome. Returns null before the first connection.
  @Nullable Connection audience() {
    return audience;
  }

  /// Returns the future of the creation that this upload waits for; null before the first creation.
  @Nullable Future<?> creation() {
    return creation;
  }

  void creation(Future<?> asked) {
    creation = asked;
  }

  /// Returns whether an import has taken this upload. The result stays true after the import has
  /// ended.
  boolean taken() {
    return taken;
  }

  void take() {
    taken = true;
  }

  /// Returns whether the import of this upload has ended, successfully or not.
  boolean finished() {
    return finished;
  }

  void finish() {
    finished = true;
  }

  /// Returns whether every byte of the upload has arrived.
  boolean complete() {
    return complete;
  }

  /// Returns the time at which the latest part ended, a value of [System#nanoTime]. Returns empty
  /// if no part has ended, if another part has begun since then, if the connection of the latest
  /// part was lost, or if the upload is complete.
  OptionalLong partEnded() {
    return partEnded;
  }

  void markPartEnd(long nanoTime) {
    partEnded = OptionalLong.of(nanoTime);
  }

  void markComplete() {
    complete = true;
    body.complete();
  }
}

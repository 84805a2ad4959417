package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One upload from its first byte to its end, over however many connections it takes. Changed by
/// the [UploadDesk] alone, under its lock; the body has a lock of its own.
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

  /// A connection that brings bytes, and its client.
  interface Connection {
    /// How long, in nanoseconds, it has brought nothing although we were ready to take it.
    long silentFor();

    /// Closes it; what it brings from now on is not appended.
    void close();

    /// Tells the client how the upload has ended; nothing where the client has its answer.
    void settle(Outcome outcome);
  }

  /// How an upload ends.
  sealed interface Outcome {
    /// It has become the volume.
    record Made(Creation creation) implements Outcome {}

    /// It has not.
    record Refused(Failure failure) implements Outcome {}
  }

  /// @param always digests to compute although nobody promised a value
  Upload(UploadRequest request, UploadBody body, Set<Algorithm> always) {
    this.request = request;
    this.body = body;
    this.total = request.total();
    this.verified =
        new VerifiedBody(body, request.whole(), always, count -> progress.accept(count));
  }

  /// What its first request said.
  UploadRequest request() {
    return request;
  }

  UploadBody body() {
    return body;
  }

  /// The bytes as the import reads them.
  VerifiedBody verified() {
    return verified;
  }

  /// Whom to tell how many bytes were read.
  void tell(LongConsumer listener) {
    progress = listener;
  }

  /// Bytes of the whole, where it is known by now.
  OptionalLong total() {
    return total;
  }

  /// Lets a connection bring what is missing, from `received` on.
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

  /// Lets nobody bring anything any more.
  ///
  /// @return bytes that have arrived
  long detach() {
    connection = null;
    long received = body.attach(null);
    verified.partCut(received);
    return received;
  }

  /// The connection that brings bytes at the moment.
  @Nullable Connection connection() {
    return connection;
  }

  /// The connection that came last: its client is told how the upload ends.
  @Nullable Connection audience() {
    return audience;
  }

  /// What is waited for on this upload's behalf.
  @Nullable Future<?> creation() {
    return creation;
  }

  void creation(Future<?> asked) {
    creation = asked;
  }

  /// True once an import reads it.
  boolean taken() {
    return taken;
  }

  void take() {
    taken = true;
  }

  /// True once the import that read it has ended, well or not.
  boolean finished() {
    return finished;
  }

  void finish() {
    finished = true;
  }

  /// True once every byte was appended.
  boolean complete() {
    return complete;
  }

  /// When a part ended in order after which no other has begun, as [System#nanoTime] tells it;
  /// empty where none did, or where the last connection broke off.
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

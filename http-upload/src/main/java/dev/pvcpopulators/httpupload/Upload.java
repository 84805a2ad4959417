package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One upload from its first byte to its end, over however many connections it takes. Its fields
/// are guarded by the [UploadDesk]; the body has a lock of its own.
final class Upload {
  private final UploadRequest request;
  private final UploadBody body;
  private final VerifiedBody verified;
  private volatile LongConsumer progress = _ -> {};
  private OptionalLong total;
  private @Nullable Connection connection;
  private boolean taken;
  private boolean complete;

  /// The connection that brings the bytes at the moment.
  interface Connection {
    /// How long, in nanoseconds, it has brought nothing although we were ready to take it.
    long silentFor();

    /// Closes it; what it brings from now on is not appended.
    void close();
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

  void total(OptionalLong known) {
    if (known.isPresent()) {
      total = known;
    }
  }

  @Nullable Connection connection() {
    return connection;
  }

  void connection(@Nullable Connection now) {
    connection = now;
  }

  /// True once an import reads it.
  boolean taken() {
    return taken;
  }

  void take() {
    taken = true;
  }

  /// True once every byte was appended.
  boolean complete() {
    return complete;
  }

  void markComplete() {
    complete = true;
    body.complete();
  }
}

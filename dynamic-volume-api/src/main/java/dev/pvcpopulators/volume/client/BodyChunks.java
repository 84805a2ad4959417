package dev.pvcpopulators.volume.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The chunks of a response body. One thread reads the chunks, with a time limit for each chunk.
/// Each call of [#next] requests one chunk (backpressure), so that memory is bounded.
final class BodyChunks implements Flow.Subscriber<List<ByteBuffer>>, AutoCloseable {
  private sealed interface Signal {
    record Chunk(List<ByteBuffer> buffers) implements Signal {}

    record End() implements Signal {}

    record Broken(Throwable cause) implements Signal {}
  }

  private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
  private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();

  private BodyChunks() {}

  /// Returns the chunks of a body. The caller must close the result.
  static BodyChunks of(Flow.Publisher<List<ByteBuffer>> body) {
    BodyChunks chunks = new BodyChunks();
    body.subscribe(chunks);
    return chunks;
  }

  /// Waits for the next chunk.
  ///
  /// @param request method and address, for messages
  /// @return the chunk; empty at the end of the body
  /// @throws IOException if the connection was lost, or no chunk arrived within the limit
  Optional<List<ByteBuffer>> next(String request, Duration limit)
      throws IOException, InterruptedException {
    var _ = subscription.thenAccept(it -> it.request(1));
    Signal signal = signals.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    return switch (signal) {
      case null ->
          throw new HttpTimeoutException(
              request + ": expected more of the answer within " + limit + ", found nothing");
      case Signal.Chunk(var buffers) -> Optional.of(buffers);
      case Signal.End _ -> Optional.empty();
      case Signal.Broken(var cause) ->
          throw new IOException(request + ": the connection broke: " + cause, cause);
    };
  }

  /// Reads a short body to its end.
  ///
  /// @param request method and address, for messages
  /// @param most the maximum length in bytes
  /// @throws InvalidAnswerException if the body is longer than `most`
  /// @throws IOException if the connection was lost, or the body has not ended within the limit
  byte[] all(String request, int most, Duration limit) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (true) {
      Optional<List<ByteBuffer>> chunk =
          next(request, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
      if (chunk.isEmpty()) {
        return bytes.toByteArray();
      }
      for (ByteBuffer buffer : chunk.get()) {
        if (bytes.size() + buffer.remaining() > most) {
          throw new InvalidAnswerException(
              request + ": expected a body of at most " + most + " bytes, found more");
        }
        byte[] part = new byte[buffer.remaining()];
        buffer.get(part);
        bytes.writeBytes(part);
      }
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription.complete(given);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    signals.add(new Signal.Chunk(buffers));
  }

  @Override
  public void onError(Throwable cause) {
    signals.add(new Signal.Broken(cause));
  }

  @Override
  public void onComplete() {
    signals.add(new Signal.End());
  }

  /// Closes the connection if the body has not ended.
  @Override
  public void close() {
    var _ = subscription.thenAccept(Flow.Subscription::cancel);
  }
}

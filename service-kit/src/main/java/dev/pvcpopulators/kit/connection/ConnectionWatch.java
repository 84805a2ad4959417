package dev.pvcpopulators.kit.connection;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/// Registers a connection, and ends the connection if it is idle for too long. When the first bytes
/// arrive, this handler adds a [HeadByteCounter], which counts the bytes after decryption. Then
/// this handler removes itself from the pipeline, but its checks for idleness continue until the
/// connection is closed.
final class ConnectionWatch extends ChannelInboundHandlerAdapter {
  private final ConnectionLimiter connections;
  private @Nullable ConnectionState visit;
  private @Nullable Future<?> next;

  ConnectionWatch(ConnectionLimiter connections) {
    this.connections = connections;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    Channel channel = context.channel();
    ConnectionState arrived =
        connections.arrive(() -> {
          var _ = channel.close();
        });
    visit = arrived;
    watch(channel, arrived);
    channel
        .closeFuture()
        .addListener(_ -> {
          connections.leave(arrived);
          stopWatching();
        });
  }

  private void watch(Channel channel, ConnectionState arrived) {
    long left = connections.judge(arrived);
    if (left > 0 && channel.isOpen()) {
      next = channel.eventLoop().schedule(() -> watch(channel, arrived), left, NANOSECONDS);
    }
  }

  /// Cancels the scheduled check, because a scheduled check keeps all objects of the connection in
  /// memory.
  private void stopWatching() {
    if (next != null) {
      next.cancel(false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    ChannelPipeline pipeline = context.pipeline();
    if (visit != null) {
      HeadByteCounter intake = new HeadByteCounter(connections, visit);
      if (pipeline.get(SslHandler.class) == null) {
        pipeline.addAfter(context.name(), null, intake);
      } else {
        // After the TLS handshake, the HTTP decoder is added behind `intake`.
        pipeline.addLast(intake);
      }
    }
    context.fireChannelRead(bytes);
    pipeline.remove(this);
  }
}

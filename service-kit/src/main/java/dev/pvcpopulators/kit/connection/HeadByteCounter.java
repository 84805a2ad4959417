package dev.pvcpopulators.kit.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/// Counts the bytes of HTTP heads, trailers and chunk sizes that the HTTP decoder has received but
/// not yet passed on. The bytes are counted because a head takes up to 30 times as much memory
/// after it has been decoded. This handler is before the HTTP decoder in the pipeline.
final class HeadByteCounter extends ChannelInboundHandlerAdapter {
  /// The maximum number of undecoded head bytes that the HTTP decoder keeps. Undecoded bytes beyond
  /// this number are content.
  private static final long MOST_KEPT = 24 << 10;

  private final ConnectionLimiter connections;
  private final ConnectionState visit;
  private @Nullable PipelineLimiter turns;
  private long undecoded;
  private long told;
  private boolean refused;

  HeadByteCounter(ConnectionLimiter connections, ConnectionState visit) {
    this.connections = connections;
    this.visit = visit;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    PipelineLimiter behind = turns(context);
    long came = message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    boolean content = behind != null && behind.bodyLeft() >= came;
    if (refused || (!content && !tell(Math.min(undecoded + came, MOST_KEPT)))) {
      refused = true;
      ReferenceCountUtil.release(message);
      return;
    }
    long before = behind == null ? 0 : behind.decoded();
    // When this call returns, the decoder has processed the bytes.
    context.fireChannelRead(message);
    long decoded = behind == null ? 0 : behind.decoded() - before;
    // The messages decoded by this call had at least `decoded` bytes on the wire.
    undecoded =
        decoded == 0 ? undecoded + came : Math.max(0, Math.min(came, undecoded + came - decoded));
    tell();
  }

  private @Nullable PipelineLimiter turns(ChannelHandlerContext context) {
    if (turns == null) {
      ChannelHandlerContext encoder = context.pipeline().context(HttpResponseEncoder.class);
      if (encoder != null) {
        turns = new PipelineLimiter(connections, visit, this::tell);
        context.pipeline().addAfter(encoder.name(), null, new BodyGatherer());
        context.pipeline().addAfter(encoder.name(), null, turns);
      }
    }
    return turns;
  }

  private void tell() {
    var _ = tell(undecoded);
  }

  private boolean tell(long kept) {
    long heads = kept + (turns == null ? 0 : turns.headBytes());
    if (heads == told) {
      return true;
    }
    told = heads;
    return connections.heads(visit, heads);
  }
}

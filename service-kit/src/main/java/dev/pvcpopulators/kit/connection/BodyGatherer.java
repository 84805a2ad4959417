package dev.pvcpopulators.kit.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Gathers the content of requests in byte arrays from the pool [BodyArrays]. An array is passed on
/// when it is full, and at the latest when Netty reports the end of a series of reads
/// ([#channelReadComplete]).
///
/// Without this handler, Vert.x would copy each content object from Netty's pooled memory into a
/// new array. Over TLS a content object has at most 16 KiB, and Vert.x needs as much time for such
/// an object as for a larger one.
final class BodyGatherer extends ChannelInboundHandlerAdapter {
  private byte @Nullable [] array;
  private int filled;

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpContent content
        && !(message instanceof LastHttpContent)
        && !(message instanceof FullHttpMessage)
        && content.decoderResult().isSuccess()) {
      try {
        gather(context, content.content());
      } finally {
        content.release();
      }
    } else {
      flush(context);
      context.fireChannelRead(message);
    }
  }

  private void gather(ChannelHandlerContext context, ByteBuf bytes) {
    while (bytes.isReadable()) {
      byte[] target = array;
      if (target == null) {
        target = BodyArrays.take();
        array = target;
      }
      int count = Math.min(bytes.readableBytes(), target.length - filled);
      bytes.readBytes(target, filled, count);
      filled += count;
      if (filled == target.length) {
        flush(context);
      }
    }
  }

  /// Passes on the gathered bytes. If less than half of the array is filled, the bytes are copied
  /// into an array without free space, because the limit of an upload's queue counts the gathered
  /// bytes, not the length of their arrays.
  private void flush(ChannelHandlerContext context) {
    byte[] gathered = array;
    if (gathered == null) {
      return;
    }
    int length = filled;
    array = null;
    filled = 0;
    if (length < gathered.length / 2) {
      byte[] few = Arrays.copyOf(gathered, length);
      BodyArrays.giveBack(gathered);
      gathered = few;
    }
    context.fireChannelRead(new DefaultHttpContent(Unpooled.wrappedBuffer(gathered, 0, length)));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    flush(context);
    context.fireChannelReadComplete();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    flush(context);
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    flush(context);
    context.fireExceptionCaught(cause);
  }
}

package dev.pvcpopulators.kit.connection;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Iterator;
import java.util.Map;

/// Limits the number of unanswered requests of a connection. This handler is behind the HTTP codec
/// in the pipeline.
///
/// A client may send requests before it has the answers to earlier requests (RFC 9112, section
/// 9.3.2). Few clients do so. Without a limit, the service would keep all requests of such a
/// client, or all answers to them, in memory. So this handler closes the connection of a client
/// that exceeds the limit or does not read its answers.
final class PipelineLimiter extends ChannelDuplexHandler {
  private static final int MOST_UNANSWERED = 8;

  /// The number of bytes of a request line besides its method and target: two spaces, the version
  /// and CRLF.
  private static final int LINE_BYTES = 12;

  /// The minimum number of bytes of a header field besides its name and value: a colon and CRLF.
  private static final int FIELD_BYTES = 3;

  private final ConnectionLimiter connections;
  private final ConnectionState visit;
  private final Runnable changed;
  private long decoded;
  private long headBytes;
  private long bodyLeft;
  private int unanswered;
  private boolean refused;

  /// Creates the handler of one connection.
  ///
  /// @param changed is called when the end of an answer is written, because [#headBytes] may then
  ///   have changed
  PipelineLimiter(ConnectionLimiter connections, ConnectionState visit, Runnable changed) {
    this.connections = connections;
    this.visit = visit;
    this.changed = changed;
  }

  /// Returns a lower bound of the length on the wire, in bytes, of all messages that have been
  /// decoded so far.
  long decoded() {
    return decoded;
  }

  /// Returns the number of bytes in the heads of unanswered requests. The head of an answered
  /// request still counts until all requests of the connection are answered.
  long headBytes() {
    return headBytes;
  }

  /// Returns how many bytes of the current request's body have not arrived yet; 0 if no body is
  /// being received, or if the body's length is unknown.
  long bodyLeft() {
    return bodyLeft;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (refused) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      if (unanswered >= MOST_UNANSWERED || !context.channel().isWritable()) {
        refused = true;
        ReferenceCountUtil.release(message);
        connections.refuse(visit);
        return;
      }
      long bytes = bytesOf(request);
      decoded += bytes;
      headBytes += bytes;
      bodyLeft = lengthOf(request);
      unanswered++;
      connections.begin(visit);
    }
    if (message instanceof HttpContent content) {
      int bytes = content.content().readableBytes();
      decoded += bytes;
      bodyLeft = message instanceof LastHttpContent ? 0 : Math.max(0, bodyLeft - bytes);
    }
    context.fireChannelRead(message);
  }

  /// Returns the stated length of the request's body; 0 if none is stated.
  private static long lengthOf(HttpRequest request) {
    boolean told =
        request.decoderResult().isSuccess() && !HttpUtil.isTransferEncodingChunked(request);
    return told ? HttpUtil.getContentLength(request, 0L) : 0;
  }

  private static long bytesOf(HttpRequest request) {
    long bytes = LINE_BYTES;
    bytes += request.method().name().length();
    bytes += request.uri().length();
    Iterator<Map.Entry<CharSequence, CharSequence>> fields =
        request.headers().iteratorCharSequence();
    while (fields.hasNext()) {
      Map.Entry<CharSequence, CharSequence> field = fields.next();
      bytes += FIELD_BYTES;
      bytes += field.getKey().length();
      bytes += field.getValue().length();
    }
    return bytes;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    boolean interim =
        message instanceof HttpResponse response
            && response.status().codeClass() == HttpStatusClass.INFORMATIONAL
            && !response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
    if (!interim) {
      // The connection becomes idle when the end of the last outstanding answer is written. If the
      // head of this answer states a length, the connection becomes idle when the head is written,
      // even if the body of the answered request has not arrived completely.
      boolean ends =
          message instanceof HttpResponse response
              && response.headers().contains(HttpHeaderNames.CONTENT_LENGTH);
      boolean ended = message instanceof LastHttpContent && unanswered > 0;
      if (ended && --unanswered == 0) {
        headBytes = 0;
      }
      if (unanswered == 0 || (ends && unanswered == 1)) {
        connections.await(visit);
      }
      if (ended) {
        changed.run();
      }
    }
    var _ = context.write(message, promise);
  }
}

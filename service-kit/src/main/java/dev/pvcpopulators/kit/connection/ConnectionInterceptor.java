package dev.pvcpopulators.kit.connection;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ArcContainer;

/// An extension of Netty that handles each accepted connection before Vert.x does. It is needed
/// because Vert.x reports a connection only when the connection sends a request. Until then, Vert.x
/// does not limit the resources that the connection takes.
///
/// Netty finds this class through `META-INF/services`, if a system property enables this search
/// ([#enable]).
public final class ConnectionInterceptor extends ChannelInitializerExtension {
  /// Answers are small, so the limit for unread answers is small, too.
  private static final WriteBufferWaterMark UNREAD = new WriteBufferWaterMark(8 << 10, 32 << 10);

  /// Makes Netty look for this class. Call this method before any server listens.
  public static void enable() {
    System.setProperty(EXTENSIONS_SYSTEM_PROPERTY, "serviceload");
  }

  @Override
  public void postInitializeServerChildChannel(Channel channel) {
    ArcContainer container = Arc.container();
    if (container == null) {
      return; // The process ends.
    }
    ConnectionLimiter connections = container.instance(ConnectionLimiter.class).get();
    if (connections != null && connections.watched()) {
      channel.config().setWriteBufferWaterMark(UNREAD);
      channel.pipeline().addLast(new ConnectionWatch(connections));
    }
  }
}

package dev.pvcpopulators.volume.connection;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ArcContainer;

/// Netty's own way to see each connection that a server accepts, before whoever serves it: Vert.x
/// tells of connections when they ask something, and has no bound on what they may cost until then.
///
/// Netty finds it by `META-INF/services`, where a system property says so ([#enable]).
public final class Doorway extends ChannelInitializerExtension {
  /// Answers are small; what a client leaves unread is to be small, too.
  private static final WriteBufferWaterMark UNREAD = new WriteBufferWaterMark(8 << 10, 32 << 10);

  /// Has Netty look for it; before any server listens.
  public static void enable() {
    System.setProperty(EXTENSIONS_SYSTEM_PROPERTY, "serviceload");
  }

  @Override
  public void postInitializeServerChildChannel(Channel channel) {
    ArcContainer container = Arc.container();
    if (container == null) {
      return; // The process ends.
    }
    Connections connections = container.instance(Connections.class).get();
    if (connections != null && connections.watched()) {
      channel.config().setWriteBufferWaterMark(UNREAD);
      channel.pipeline().addLast(new Entrance(connections));
    }
  }
}

package dev.pvcpopulators.iscsitarget.session;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A connection in memory to a [Peer]. If all bytes of the peer were read, the next read calls the
/// peer on the reading thread. Only one thread may read. Any thread may write.
final class MemorySocket extends SocketChannel {
  private static final InetSocketAddress ADDRESS =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 3260);

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Peer peer;
  private final Consumer<ByteBuffer> output;
  private ByteBuffer input = NOTHING;

  /// The other end of the connection.
  @FunctionalInterface
  interface Peer {
    /// Returns the next bytes; empty at the end of the connection.
    ByteBuffer next() throws IOException;
  }

  /// Opens a connection.
  ///
  /// @param output receives the written bytes; called by one thread at a time
  MemorySocket(Peer peer, Consumer<ByteBuffer> output) {
    super(SelectorProvider.provider());
    this.peer = peer;
    this.output = output;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    if (!input.hasRemaining()) {
      input = isOpen() ? peer.next() : NOTHING;
    }
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    int count = Math.min(input.remaining(), into.remaining());
    into.put(input.slice(input.position(), count));
    input.position(input.position() + count);
    return count == 0 && into.hasRemaining() ? -1 : count;
  }

  @Override
  public synchronized int write(ByteBuffer from) throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    int count = from.remaining();
    output.accept(from.slice());
    from.position(from.limit());
    return count;
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) {
    throw new UnsupportedOperationException("Scattering reads are not used");
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    long count = 0;
    for (int i = offset; i < offset + length; i++) {
      count += write(from[i]);
    }
    return count;
  }

  @Override
  public Socket socket() {
    try {
      return new EndedSocket();
    } catch (SocketException e) {
      throw new IllegalStateException("A socket without a connection cannot fail", e);
    }
  }

  @Override
  public SocketChannel bind(@Nullable SocketAddress local) {
    return this;
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) {
    return this;
  }

  @Override
  public <T> @Nullable T getOption(SocketOption<T> name) {
    return null;
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return Set.of();
  }

  @Override
  public SocketChannel shutdownInput() {
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() {
    return this;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isConnectionPending() {
    return false;
  }

  @Override
  public boolean connect(SocketAddress remote) {
    return true;
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public SocketAddress getRemoteAddress() {
    return ADDRESS;
  }

  @Override
  public SocketAddress getLocalAddress() {
    return ADDRESS;
  }

  @Override
  protected void implCloseSelectableChannel() {}

  @Override
  protected void implConfigureBlocking(boolean block) {}

  /// A socket whose peer has closed the connection.
  private static final class EndedSocket extends Socket {
    EndedSocket() throws SocketException {
      super((SocketImpl) null);
    }

    @Override
    public void setSoTimeout(int timeout) {}

    @Override
    public InputStream getInputStream() {
      return InputStream.nullInputStream();
    }
  }
}

package dev.pvcpopulators.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.stream.Stream;

/// A TCP connection of this process, as the kernel knows it (`/proc/net/tcp` and `/proc/net/tcp6`,
/// proc_net(5) and the kernel's `Documentation/networking/proc_net_tcp.rst`).
///
/// The kernel detects the end of a connection when the peer's FIN or RST arrives. The program may
/// detect the end later, for example when a thread reads from the connection.
///
/// @param local the address of this end
/// @param remote the address of the peer
public record TcpConnection(InetSocketAddress local, InetSocketAddress remote) {
  private static final Path IPV4 = Path.of("/proc/net/tcp");

  /// Lists the connections of IPv6 sockets, including connections that use IPv4. The table is
  /// missing if the kernel has no IPv6.
  private static final Path IPV6 = Path.of("/proc/net/tcp6");

  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final String ESTABLISHED = "01";

  /// Returns whether both directions of the connection are open. If the peer has closed or reset
  /// the connection, the result is false, even if this process has not yet read all received bytes.
  ///
  /// @throws IOException if a table cannot be read
  public boolean established() throws IOException {
    return establishedIn(IPV4) || (Files.exists(IPV6) && establishedIn(IPV6));
  }

  private boolean establishedIn(Path table) throws IOException {
    try (Stream<String> lines = Files.lines(table)) {
      return establishedIn(lines.skip(1));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /// Returns whether a table has this connection in the state ESTABLISHED.
  ///
  /// @param lines the lines of the table without its heading
  boolean establishedIn(Stream<String> lines) {
    return lines
        .map(line -> line.strip().split("\\s+", STATE + 2))
        .anyMatch(fields ->
            fields[STATE].equals(ESTABLISHED)
                && remote.equals(parse(fields[REMOTE]))
                && local.equals(parse(fields[LOCAL])));
  }

  /// Parses an address in hexadecimal: 32-bit words in the byte order of the processor, a colon,
  /// and the port. An IPv4-mapped IPv6 address becomes an IPv4 address.
  private static InetSocketAddress parse(String field) {
    int colon = field.indexOf(':');
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(field, 0, colon));
    ByteBuffer address = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
    while (words.hasRemaining()) {
      address.putInt(words.getInt());
    }
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(address.array()),
          HexFormat.fromHexDigits(field, colon + 1, field.length()));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("No address: " + field, e);
    }
  }
}

package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pvcpopulators.http.Backoff;
import dev.pvcpopulators.registry.SourceReference;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ServerSocketFactory;

/// A server that records each request, and answers it as the [Script] of the test says.
final class FaultyRegistry implements Closeable {
  static final String NAME = "some/disk";

  // Short delays between retries keep a test with a dozen failures fast.
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(1), Duration.ofMillis(4));

  /// Answers a request. The server closes the connection after the answer.
  interface Script {
    void answer(Request request, Reply reply) throws IOException;
  }

  /// A recorded request.
  ///
  /// @param target path and query
  /// @param headers the values of the header fields, by name in lower case
  record Request(String method, String target, Map<String, String> headers, String body) {
    Optional<String> header(String name) {
      return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }

    /// Returns the start of the requested range, or 0 without a range.
    int offset() {
      return header("range").map(it -> Integer.parseInt(it.replaceAll("\\D", ""))).orElse(0);
    }
  }

  private final ServerSocket server;
  private final Script script;
  private final String scheme;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final List<Request> requests = new CopyOnWriteArrayList<>();

  FaultyRegistry(Script script) throws IOException {
    this(script, ServerSocketFactory.getDefault(), "http");
  }

  FaultyRegistry(Script script, ServerSocketFactory sockets, String scheme) throws IOException {
    this.script = script;
    this.scheme = scheme;
    server = sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::serve);
  }

  String authority() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  String url(String path) {
    return scheme + "://" + authority() + path;
  }

  List<Request> requests() {
    return List.copyOf(requests);
  }

  /// Returns the value of a header in each request, in order. The value is empty if a request does
  /// not have the header.
  List<String> seen(String header) {
    return requests.stream().map(it -> it.header(header).orElse("")).toList();
  }

  ChosenOptions options() {
    return ChosenOptions.defaults()
        .withInsecureRegistries(Set.of(authority()))
        .withRetries(3)
        .withIdleTimeout(Duration.ofSeconds(10));
  }

  RegistryStore store() {
    return store(options());
  }

  RegistryStore store(ChosenOptions options) {
    return store("latest", options, BACKOFF);
  }

  RegistryStore store(String tag, ChosenOptions options, Backoff backoff) {
    String text = "docker://" + authority() + "/" + NAME + ":" + tag;
    return new RegistryStore(
        (SourceReference.Remote) SourceReference.parse(text), options.options(), backoff);
  }

  private void serve() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      Request request = read(socket.getInputStream());
      requests.add(request);
      script.answer(request, new Reply(socket));
    } catch (IOException e) {
      // The client may close the connection before the end of the answer.
    } finally {
      open.remove(socket);
    }
  }

  private static Request read(InputStream in) throws IOException {
    String[] first = line(in).split(" ", -1);
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 2));
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    return new Request(first[0], first[1], headers, new String(in.readNBytes(length), ISO_8859_1));
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int c = in.read();
    while (c != '\n') {
      if (c < 0) {
        throw new IOException("The client ended the connection within a request");
      }
      if (c != '\r') {
        line.write(c);
      }
      c = in.read();
    }
    return line.toString(ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  /// Sends the answer to one request.
  static final class Reply {
    private final Socket socket;
    private final OutputStream out;

    Reply(Socket socket) throws IOException {
      this.socket = socket;
      out = socket.getOutputStream();
    }

    /// Sends a status line and header fields without changes.
    Reply head(int status, String... headers) throws IOException {
      List<String> lines = new ArrayList<>(List.of("HTTP/1.1 " + status + " Said"));
      lines.addAll(List.of(headers));
      return bytes((String.join("\r\n", lines) + "\r\n\r\n").getBytes(ISO_8859_1));
    }

    /// Sends a complete response with its length.
    void send(int status, byte[] body, String... headers) throws IOException {
      List<String> all = new ArrayList<>(List.of(headers));
      all.add("Content-Length: " + body.length);
      head(status, all.toArray(String[]::new)).bytes(body);
    }

    void send(int status, String body, String... headers) throws IOException {
      send(status, body.getBytes(ISO_8859_1), headers);
    }

    /// Sends a blob as a registry with range support does. The response ends before offset `end` of
    /// the blob.
    void blob(Request request, byte[] content, int end) throws IOException {
      int offset = request.offset();
      String length = "Content-Length: " + (content.length - offset);
      if (offset == 0) {
        head(200, length);
      } else {
        String range = offset + "-" + (content.length - 1) + "/" + content.length;
        head(206, length, "Content-Range: bytes " + range);
      }
      bytes(content, offset, Math.max(0, Math.min(end, content.length) - offset));
    }

    Reply bytes(byte[] bytes) throws IOException {
      return bytes(bytes, 0, bytes.length);
    }

    Reply bytes(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      out.flush();
      return this;
    }

    /// Sends one chunk of a chunked body.
    Reply chunk(byte[] bytes) throws IOException {
      bytes((Integer.toHexString(bytes.length) + "\r\n").getBytes(ISO_8859_1));
      return bytes(bytes).bytes("\r\n".getBytes(ISO_8859_1));
    }

    /// Sends the end of a chunked body.
    void lastChunk() throws IOException {
      bytes("0\r\n\r\n".getBytes(ISO_8859_1));
    }

    /// Sends nothing until the client ends the connection.
    void stall() throws IOException {
      while (socket.getInputStream().read() >= 0) {
        // Discards bytes of the client.
      }
    }

    /// Ends the connection with a TCP reset (RST).
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}

package dev.pvcpopulators.httpcopy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A server on a raw socket. The server can send any bytes. For each connection, a script writes
/// one response.
final class ScriptedServer implements Closeable {
  /// A request that the server received.
  ///
  /// @param headers the header fields, with names in lower case
  record Request(String path, Map<String, String> headers) {
    /// Returns the offset of the requested range; 0 if the request has no range.
    int offset() {
      return Integer.parseInt(headers.getOrDefault("range", "bytes=0-").replaceAll("\\D", ""));
    }

    String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  interface Script {
    void answer(Request request, OutputStream out) throws IOException;
  }

  private final ServerSocket socket;
  private final Thread accepting;
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile Script script = (_, _) -> {};

  ScriptedServer() {
    try {
      socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    accepting = Thread.ofVirtual().start(this::accept);
  }

  private void accept() {
    while (!socket.isClosed()) {
      try (Socket connection = socket.accept();
          OutputStream out = connection.getOutputStream()) {
        BufferedReader in =
            new BufferedReader(new InputStreamReader(connection.getInputStream(), ISO_8859_1));
        String line = in.readLine();
        if (line == null) {
          continue;
        }
        Map<String, String> headers = new TreeMap<>();
        for (String field = in.readLine(); field != null && !field.isEmpty(); ) {
          int colon = field.indexOf(':');
          headers.put(
              field.substring(0, colon).toLowerCase(Locale.ROOT),
              field.substring(colon + 1).strip());
          field = in.readLine();
        }
        Request request = new Request(line.split(" ", 3)[1], headers);
        requests.add(request);
        script.answer(request, out);
      } catch (IOException _) {
        // The client closed the connection early, or the server was closed.
      }
    }
  }

  String authority() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  String url(String path) {
    return "http://" + authority() + path;
  }

  /// Deletes the recorded requests, and sets the script that answers the next requests.
  void plays(Script next) {
    requests.clear();
    script = next;
  }

  List<Request> requests() {
    return List.copyOf(requests);
  }

  /// Writes the status line and the header fields of a response.
  ///
  /// @param fields header fields, each `NAME: VALUE`
  static void head(OutputStream out, int status, String... fields) throws IOException {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " -\r\n");
    for (String field : fields) {
      head.append(field).append("\r\n");
    }
    out.write(head.append("\r\n").toString().getBytes(ISO_8859_1));
  }

  /// Sends the whole body, as a server without support for ranges does.
  static void whole(OutputStream out, byte[] body, String... fields) throws IOException {
    String[] all = Arrays.copyOf(fields, fields.length + 1);
    all[fields.length] = "Content-Length: " + body.length;
    head(out, 200, all);
    out.write(body);
  }

  /// Sends a response as a server with support for ranges and `If-Range` does, but ends the body at
  /// `end`.
  ///
  /// @param tag a strong entity tag, in quotation marks
  /// @param end offset in `content` of the first byte that is not sent
  static void file(Request request, OutputStream out, byte[] content, String tag, int end)
      throws IOException {
    boolean part = request.offset() > 0 && request.header("if-range").equals(tag);
    int begin = part ? request.offset() : 0;
    head(
        out,
        part ? 206 : 200,
        "ETag: " + tag,
        "Accept-Ranges: bytes",
        "Content-Length: " + (content.length - begin),
        part
            ? "Content-Range: bytes " + begin + "-" + (content.length - 1) + "/" + content.length
            : "Content-Type: application/octet-stream");
    out.write(content, begin, Math.max(0, Math.min(end, content.length) - begin));
  }

  @Override
  public void close() throws IOException {
    socket.close();
    try {
      accepting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

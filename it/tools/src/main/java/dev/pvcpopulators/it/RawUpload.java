package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// An HTTP request over its own socket. The test controls the number of sent bytes, and the end of
/// the connection.
public final class RawUpload implements AutoCloseable {
  private static final int ANSWER_LIMIT_MILLIS = 600_000;
  private static final int MAX_LINE = 8192;

  private final Socket socket;
  private final OutputStream out;

  /// Connects, and sends the head of the request.
  ///
  /// @param fields the header fields: alternating names and values
  public RawUpload(URI base, String method, String path, String... fields) throws IOException {
    socket = new Socket(base.getHost(), base.getPort());
    socket.setSoTimeout(ANSWER_LIMIT_MILLIS);
    out = socket.getOutputStream();
    StringBuilder head = new StringBuilder();
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
    head.append("Host: ").append(base.getAuthority()).append("\r\n");
    for (int i = 0; i < fields.length; i += 2) {
      head.append(fields[i]).append(": ").append(fields[i + 1]).append("\r\n");
    }
    out.write(head.append("\r\n").toString().getBytes(ISO_8859_1));
  }

  /// Sends the head of a PUT with a body of this length.
  public static RawUpload put(URI base, String path, long length) throws IOException {
    return new RawUpload(base, "PUT", path, "Content-Length", Long.toString(length));
  }

  /// Sends bytes of the body. Blocks while the buffers of the connection are full.
  public void send(byte[] bytes, int from, int to) throws IOException {
    out.write(bytes, from, to - from);
  }

  /// Sends one chunk of a body with `Transfer-Encoding: chunked`. An empty chunk ends the body.
  public void sendChunk(byte[] bytes, int from, int to) throws IOException {
    out.write((Integer.toHexString(to - from) + "\r\n").getBytes(ISO_8859_1));
    out.write(bytes, from, to - from);
    out.write("\r\n".getBytes(ISO_8859_1));
  }

  /// Ends the connection with a reset (RST). Bytes in transit may be lost.
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /// Ends the connection normally (FIN). The body may be incomplete.
  @Override
  public void close() throws IOException {
    socket.close();
  }

  /// Skips interim responses, and returns the final response. If the response has no
  /// `Content-Length`, the returned body is empty.
  public Answer answer() throws IOException {
    InputStream in = socket.getInputStream();
    while (true) {
      String statusLine = line(in);
      int status = Integer.parseInt(statusLine.substring(9, 12));
      Map<String, String> headers = new HashMap<>();
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        int colon = line.indexOf(':');
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
      if (status >= 200) {
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        return new Answer(status, headers, new String(in.readNBytes(length), UTF_8));
      }
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0 || line.length() > MAX_LINE) {
        throw new EOFException("No whole line: " + line);
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }
}

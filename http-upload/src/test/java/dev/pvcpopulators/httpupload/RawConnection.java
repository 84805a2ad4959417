package dev.pvcpopulators.httpupload;

import io.restassured.RestAssured;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A TCP connection to the service. The test determines every byte that the connection sends.
final class RawConnection implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 600_000;

  record Answer(int status, List<String> fields, String body) {
    String field(String name) {
      String begin = name.toLowerCase(Locale.ROOT) + ":";
      return fields.stream()
          .filter(field -> field.toLowerCase(Locale.ROOT).startsWith(begin))
          .map(field -> field.substring(begin.length()).strip())
          .findFirst()
          .orElse("");
    }
  }

  private final Socket socket;

  RawConnection() throws IOException {
    socket = new Socket("localhost", RestAssured.port);
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  RawConnection head(String... lines) throws IOException {
    return send((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
  }

  RawConnection send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  Answer answer() throws IOException {
    InputStream in = socket.getInputStream();
    String first = line(in);
    List<String> fields = new ArrayList<>();
    for (String field = line(in); !field.isEmpty(); field = line(in)) {
      fields.add(field);
    }
    Answer head = new Answer(Integer.parseInt(first.split(" ", 3)[1]), fields, "");
    String length = head.field("Content-Length");
    byte[] body = in.readNBytes(length.isEmpty() ? 0 : Integer.parseInt(length));
    return new Answer(head.status(), fields, new String(body, StandardCharsets.UTF_8));
  }

  /// Waits until the server closes the connection. Discards the bytes that the server still sends.
  void awaitEnd() throws IOException {
    socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    int next;
    while ((next = in.read()) != '\n') {
      if (next < 0) {
        throw new IOException("expected a line, found the end behind '" + line + "'");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

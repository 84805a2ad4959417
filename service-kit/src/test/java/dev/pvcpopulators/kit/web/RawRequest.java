package dev.pvcpopulators.kit.web;

import io.restassured.RestAssured;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A connection on which a test sends every byte itself.
final class RawRequest implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 600_000;

  final Socket socket;
  private final BufferedReader in;

  RawRequest() throws IOException {
    this(new Socket("localhost", RestAssured.port));
  }

  /// Connects from another address of this host.
  static RawRequest from(InetAddress address) throws IOException {
    return new RawRequest(
        new Socket(InetAddress.ofLiteral("127.0.0.1"), RestAssured.port, address, 0));
  }

  private RawRequest(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
  }

  void send(String... lines) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  void sendBody(long bytes) throws IOException {
    byte[] chunk = new byte[65_536];
    for (long sent = 0; sent < bytes; sent += chunk.length) {
      socket.getOutputStream().write(chunk);
    }
  }

  /// Reads the status line and the header fields.
  List<String> head() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      lines.add(line);
    }
    return lines;
  }

  String body(int length) throws IOException {
    char[] body = new char[length];
    int read = 0;
    while (read < length) {
      int now = in.read(body, read, length - read);
      if (now < 0) {
        throw new IOException("expected " + length + " bytes, found " + read);
      }
      read += now;
    }
    return new String(body);
  }

  /// Reads until the service closes the connection, and throws after a time limit.
  String rest() throws IOException {
    StringBuilder rest = new StringBuilder();
    long end = System.nanoTime() + Duration.ofMillis(PATIENCE_MILLIS).toNanos();
    for (int next = in.read(); next >= 0; next = in.read()) {
      rest.append((char) next);
      if (System.nanoTime() > end) {
        throw new IOException("Expected the end of the connection, found " + rest);
      }
    }
    return rest.toString();
  }

  static int length(List<String> head) {
    return head.stream()
        .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
        .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

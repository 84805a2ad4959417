package dev.pvcpopulators.it.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.concurrent.Callable;

/// A client that sends one byte at a time until the service closes the connection.
final class SlowClient implements Callable<Long> {
  private static final int PAUSE_MILLIS = 100;
  private static final long MOST = 600;

  private final URI base;
  private final String begin;

  /// Creates a client.
  ///
  /// @param begin the text to send before the single bytes
  SlowClient(URI base, String begin) {
    this.base = base;
    this.begin = begin;
  }

  /// Returns the number of single bytes that were sent, or 0 if the service reset the connection.
  @Override
  public Long call() throws IOException {
    try (Socket socket = new Socket(base.getHost(), base.getPort())) {
      // The read time-out is the pause between two bytes. The read also detects the end of stream.
      socket.setSoTimeout(PAUSE_MILLIS);
      socket.getOutputStream().write(begin.getBytes(ISO_8859_1));
      for (long brought = 0; brought < MOST; brought++) {
        if (ended(socket)) {
          return brought;
        }
        socket.getOutputStream().write('a');
      }
      throw new AssertionError("The service did not close the connection: " + begin);
    } catch (SocketException e) {
      return 0L; // The service reset the connection, because some bytes were unread.
    }
  }

  private static boolean ended(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException _) {
      return false;
    }
  }
}

package dev.pvcpopulators.it.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/// A client that repeats a request until [#stop]. Each request has a new connection.
final class RepeatingClient implements Callable<Integer> {
  /// The request, and the expected answer.
  ///
  /// @param request the bytes to send
  /// @param status the expected status
  /// @param lines the number of lines to read after the status line
  record Question(String request, int status, int lines) {}

  private static final int LIMIT_MILLIS = 600_000;

  private final URI base;
  private final Question question;
  private final CountDownLatch answered = new CountDownLatch(1);
  private volatile boolean stopped;

  RepeatingClient(URI base, Question question) {
    this.base = base;
    this.question = question;
  }

  /// Sends requests until [#stop], and returns the number of answers.
  @Override
  public Integer call() throws IOException {
    int answers = 0;
    while (!stopped) {
      ask();
      answers++;
      answered.countDown();
    }
    return answers;
  }

  private void ask() throws IOException {
    try (Socket socket = new Socket(base.getHost(), base.getPort())) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.getOutputStream().write(question.request().getBytes(ISO_8859_1));
      BufferedReader in =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      String first = in.readLine();
      assertEquals("HTTP/1.1 " + question.status(), first == null ? null : first.substring(0, 12));
      for (int i = 0; i < question.lines(); i++) {
        if (in.readLine() == null) {
          throw new AssertionError(question + ": the answer ended after " + i + " lines");
        }
      }
    }
  }

  /// Waits for the first answer.
  void awaitAnswer() throws InterruptedException {
    answered.await();
  }

  void stop() {
    stopped = true;
  }
}

package dev.pvcpopulators.it.layers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A virtual machine without hardware acceleration. The script `run.sh` in the machine's directory
/// boots the machine. The output of `run.sh` is the machine's console. [#close] kills `run.sh` and
/// its descendants.
public final class LayersMachine implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 100;

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  private LayersMachine(Process process) {
    this.process = process;
    Thread.startVirtualThread(this::read);
  }

  /// Boots a machine.
  ///
  /// @param directory the machine's directory
  public static LayersMachine boot(Path directory) throws IOException {
    return boot(directory, Map.of());
  }

  /// Boots a machine with settings.
  ///
  /// @param settings additional environment variables of `run.sh`
  public static LayersMachine boot(Path directory, Map<String, String> settings)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(directory.resolve("run.sh").toString())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true);
    builder.environment().put("ACCELERATOR", "tcg");
    builder.environment().putAll(settings);
    return new LayersMachine(builder.start());
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      add("Reading the machine's output failed: " + e);
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  /// Waits until a line of the console contains a text. Fails the test if the machine ends first,
  /// or after ten minutes.
  public LayersMachine await(String text) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    synchronized (this) {
      while (lines.stream().noneMatch(line -> line.contains(text))) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (ended || left <= 0) {
          throw new AssertionError("The machine does not say: " + text + "\n" + output());
        }
        wait(left);
      }
    }
    return this;
  }

  /// Presses the machine's power button: sends SIGTERM to `run.sh`.
  public void powerOff() {
    process.destroy();
  }

  /// Waits for the end of the machine. Fails the test if the exit status of `run.sh` is not
  /// `status`.
  ///
  /// @param status the expected exit status of the image's process
  /// @return the complete output
  public String ends(int status) throws InterruptedException {
    if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("The machine does not end\n" + output());
    }
    synchronized (this) {
      while (!ended) {
        wait();
      }
    }
    assertEquals(status, process.exitValue(), this::output);
    return output();
  }

  public synchronized String output() {
    return String.join("\n", lines);
  }

  /// Repeats a `GET` request to a forwarded port until the server in the machine answers.
  ///
  /// @return the body of the answer
  public static String get(int port, String path) throws IOException, InterruptedException {
    URI uri =
        URI.create(
            "http://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port + path);
    long end = System.nanoTime() + LIMIT.toNanos();
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (true) {
        try {
          return client
              .send(HttpRequest.newBuilder(uri).timeout(LIMIT).build(), BodyHandlers.ofString())
              .body();
        } catch (IOException e) {
          if (System.nanoTime() > end) {
            throw e;
          }
          TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
      }
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }
}

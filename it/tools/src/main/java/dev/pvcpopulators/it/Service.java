package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The process of a running service, on this host or in a container. [#close] kills the process.
public final class Service implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("Listening on: (https?://[^ ]+)");
  private static final Duration START_LIMIT = Duration.ofMinutes(10);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(10);
  private static final Duration CONDITION_LIMIT = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 25;
  private static final long PROGRESS_POLL_MILLIS = 4;

  private final Process process;
  private final boolean loud;
  private final Remains remains;
  private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<URI> listening = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> logEnd = new CompletableFuture<>();

  /// The HTTP client that all polls share. If each poll had a new client, each poll would open a
  /// connection and start a thread.
  private @Nullable Http polling;

  public Service(Process process) {
    this(process, true);
  }

  /// Wraps a process.
  ///
  /// @param loud whether the test prints those log lines of the service whose level is not INFO
  public Service(Process process, boolean loud) {
    this(process, loud, () -> {});
  }

  /// Wraps a process that leaves files outside its volume.
  ///
  /// @param remains the action that removes the files that the process leaves; [#kill] and [#close]
  ///   run this action after the process has ended
  public Service(Process process, boolean loud, Remains remains) {
    this.process = process;
    this.loud = loud;
    this.remains = remains;
    Thread.startVirtualThread(this::readLog);
  }

  private void readLog() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        log.add(line);
        if (loud && !line.contains(" INFO ")) {
          // A line of another level than INFO often shows why a test fails.
          System.out.println("service> " + line);
        }
        Matcher matcher = LISTENING.matcher(line);
        if (matcher.find()) {
          listening.complete(URI.create(matcher.group(1)));
        }
      }
      listening.completeExceptionally(new IOException("The service ended before it listened"));
    } catch (IOException e) {
      listening.completeExceptionally(e);
    } finally {
      logEnd.complete(null);
    }
  }

  /// Waits until the service listens. If the service ends first, or does not listen within ten
  /// minutes, kills the service and fails the test.
  public void awaitListening() throws InterruptedException {
    try {
      listening.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      close();
      throw new AssertionError("The service does not listen\n" + log(), e);
    }
  }

  /// Waits until the service listens, and returns the base URL from its log, such as
  /// `http://127.0.0.1:PORT`. The scheme is `https` if the service uses TLS.
  public URI base() {
    return listening.join();
  }

  public URI uri(String path) {
    return URI.create(base() + path);
  }

  /// Returns a new HTTP client, which has no connection yet.
  public Http http() {
    return new Http(base());
  }

  private synchronized Http polling() {
    Http client = polling;
    if (client == null) {
      client = http();
      polling = client;
    }
    return client;
  }

  /// Returns the first answer of `GET /volume` whose status is not 202. The status 202 means that
  /// the volume is being recovered, created or deleted.
  public Answer volume(String... fields) throws IOException, InterruptedException {
    return await(
        "the state of the volume",
        () -> {
          Answer answer = polling().get("/volume", fields);
          return answer.status() == 202 ? Optional.empty() : Optional.of(answer);
        });
  }

  /// Returns the document of `GET /volume/status`.
  public JsonNode status() throws IOException, InterruptedException {
    return polling().get("/volume/status", "Accept", "application/json").expect(200).json();
  }

  /// Waits until the volume is in a phase, and returns the document of `GET /volume/status`.
  public JsonNode awaitPhase(String phase) throws IOException, InterruptedException {
    return await(
        "phase " + phase,
        () -> Optional.of(status()).filter(now -> now.path("phase").asText().equals(phase)));
  }

  /// Returns the log so far.
  public String log() {
    return String.join("\n", log);
  }

  /// Returns whether the process ends within a number of milliseconds.
  public boolean endsWithin(long millis) throws InterruptedException {
    return process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /// Returns a future that completes when the process has ended.
  public CompletableFuture<?> gone() {
    return process.onExit();
  }

  /// Returns whether the process is running.
  public boolean alive() {
    return process.isAlive();
  }

  /// Returns the process ID of the JVM, even if a wrapper has started the JVM.
  public long pid() {
    return process.descendants().findFirst().map(ProcessHandle::pid).orElse(process.pid());
  }

  /// Sends SIGKILL, so that the process runs no shutdown hook and flushes nothing.
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
    remains.remove();
  }

  /// Removes the files that a killed process has left outside its volume.
  public interface Remains {
    void remove();
  }

  /// Sends SIGTERM, and waits until the process ends.
  ///
  /// @return the exit status
  public int stop() throws InterruptedException {
    process.destroy();
    return awaitExit();
  }

  /// Waits until the process ends. Fails the test if the process still runs after ten minutes.
  ///
  /// @return the exit status
  public int awaitExit() throws InterruptedException {
    return awaitExit(STOP_LIMIT);
  }

  /// Waits until the process ends. Fails the test if the process still runs after `limit`.
  public int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("The service does not end\n" + log());
    }
    logEnd.join();
    return process.exitValue();
  }

  /// A check. If there is no result yet, [#ask] returns empty.
  public interface Question<T> {
    Optional<T> ask() throws IOException, InterruptedException;
  }

  /// Repeats a check until it has a result. Fails the test if the service ends first, or if there
  /// is no result within ten minutes.
  ///
  /// @param what the awaited result, for messages
  public <T> T await(String what, Question<T> question) throws IOException, InterruptedException {
    long end = System.nanoTime() + CONDITION_LIMIT.toNanos();
    while (System.nanoTime() < end) {
      Optional<T> answer = question.ask();
      if (answer.isPresent()) {
        return answer.get();
      }
      // Pauses between two checks. The pause ends early if the process ends.
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("The service ended while waiting for " + what + "\n" + log());
      }
    }
    throw new AssertionError("Time-out while waiting for " + what + "\n" + log());
  }

  /// Returns the peak of the resident set in bytes.
  public long peakResidentBytes() throws IOException {
    return 1024 * number(pid(), "status", "VmHWM:");
  }

  /// Returns the current resident set in bytes.
  public long residentBytes() throws IOException {
    return 1024 * number(pid(), "status", "VmRSS:");
  }

  /// Returns the number of bytes that the service has written to storage, as the kernel counts them
  /// (`write_bytes` of proc(5)).
  public long writtenBytes() throws IOException {
    return number(pid(), "io", "write_bytes:");
  }

  /// Returns the number of bytes that the service's process and its child processes have passed to
  /// `write` calls (`wchar` of proc(5)). Tests wait for this number instead of a time, because
  /// hosts differ in speed.
  public long progressBytes() throws IOException {
    long sum = 0;
    for (ProcessHandle handle :
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList()) {
      sum += given(handle.pid());
    }
    return sum;
  }

  private static long given(long pid) throws IOException {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid, "io"))) {
        if (line.startsWith("wchar:")) {
          return Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
    } catch (NoSuchFileException _) {
      // The process has ended. The kernel adds the bytes of an ended process to the bytes of its
      // parent.
      return 0;
    } catch (IOException e) {
      if (Files.exists(Path.of("/proc/" + pid))) {
        throw e;
      }
    }
    return 0;
  }

  /// Waits until [#progressBytes] has reached a value, the process has ended, or a condition holds.
  /// Fails the test if this takes more than ten minutes.
  ///
  /// @return the largest observed value of [#progressBytes]
  public long awaitProgress(long bytes, BooleanSupplier enough)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + CONDITION_LIMIT.toNanos();
    long most = 0;
    while (System.nanoTime() < end) {
      most = Math.max(most, progressBytes());
      if (most >= bytes
          || enough.getAsBoolean()
          || process.waitFor(PROGRESS_POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        return most;
      }
    }
    throw new AssertionError("Time-out while waiting for progress of the service\n" + log());
  }

  /// Returns a number from a file in `/proc/PID` (proc(5)).
  ///
  /// @param key the beginning of the line with the number
  static long number(long pid, String file, String key) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid, file))) {
      if (line.startsWith(key)) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError("No " + key + " in /proc/" + pid + "/" + file);
  }

  @Override
  public void close() {
    kill();
  }
}

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

/// A running service: one process, of this machine or in a container. Closing it kills it.
public final class Service implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("Listening on: (https?://[^ ]+)");
  private static final Duration START_LIMIT = Duration.ofMinutes(10);
  private static final Duration STOP_LIMIT = Duration.ofMinutes(10);
  private static final Duration CONDITION_LIMIT = Duration.ofMinutes(10);
  private static final long POLL_MILLIS = 5;
  private static final long PROGRESS_POLL_MILLIS = 1;

  private final Process process;
  private final boolean loud;
  private final Remains remains;
  private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<URI> listening = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> logEnd = new CompletableFuture<>();

  public Service(Process process) {
    this(process, true);
  }

  /// One that shows its log, or not.
  ///
  /// @param loud whether what it logs beside information goes to this process's output, too
  public Service(Process process, boolean loud) {
    this(process, loud, () -> {});
  }

  /// One that leaves something behind.
  ///
  /// @param remains what has to be removed once it has been killed
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
          // A test that fails because of a defect shall show it.
          System.out.println("service> " + line);
        }
        Matcher matcher = LISTENING.matcher(line);
        if (matcher.find()) {
          listening.complete(URI.create(matcher.group(1)));
        }
      }
      listening.completeExceptionally(new IOException("It ended before it listened"));
    } catch (IOException e) {
      listening.completeExceptionally(e);
    } finally {
      logEnd.complete(null);
    }
  }

  public void awaitListening() throws InterruptedException {
    try {
      listening.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      close();
      throw new AssertionError("The service does not listen\n" + log(), e);
    }
  }

  /// `http://127.0.0.1:PORT`.
  public URI base() {
    return listening.join();
  }

  public URI uri(String path) {
    return URI.create(base() + path);
  }

  public Http http() {
    return new Http(base());
  }

  /// What `GET /volume` answers once the service knows what it finds in the volume: until then, and
  /// while a volume is made, that is 202.
  public Answer volume(String... fields) throws IOException, InterruptedException {
    return await(
        "what is in the volume",
        () -> {
          Answer answer = http().get("/volume", fields);
          return answer.status() == 202 ? Optional.empty() : Optional.of(answer);
        });
  }

  /// The document of `GET /volume/status`.
  public JsonNode status() throws IOException, InterruptedException {
    return http().get("/volume/status", "Accept", "application/json").expect(200).json();
  }

  /// Waits for a phase, and gives the status that has it.
  public JsonNode awaitPhase(String phase) throws IOException, InterruptedException {
    return await(
        "phase " + phase,
        () -> Optional.of(status()).filter(now -> now.path("phase").asText().equals(phase)));
  }

  /// What it has logged so far.
  public String log() {
    return String.join("\n", log);
  }

  /// True where it ends by itself within so many milliseconds.
  public boolean endsWithin(long millis) throws InterruptedException {
    return process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /// Completes when it has ended.
  public CompletableFuture<?> gone() {
    return process.onExit();
  }

  /// True until it has ended.
  public boolean alive() {
    return process.isAlive();
  }

  /// The JVM's process, also below a wrapper.
  public long pid() {
    return process.descendants().findFirst().map(ProcessHandle::pid).orElse(process.pid());
  }

  /// SIGKILL: no shutdown hook, no flush.
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
    remains.remove();
  }

  /// What a killed process leaves behind outside of its volume.
  public interface Remains {
    void remove();
  }

  /// SIGTERM, then waits for its end.
  ///
  /// @return its exit status
  public int stop() throws InterruptedException {
    process.destroy();
    return awaitExit();
  }

  /// Waits until it ends by itself.
  ///
  /// @return its exit status
  public int awaitExit() throws InterruptedException {
    return awaitExit(STOP_LIMIT);
  }

  /// As above, of what may take longer.
  public int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("The service does not end\n" + log());
    }
    logEnd.join();
    return process.exitValue();
  }

  /// A question whose answer may not be there yet.
  public interface Question<T> {
    Optional<T> ask() throws IOException, InterruptedException;
  }

  /// Asks until there is an answer. Fails the test where the service dies meanwhile.
  public <T> T await(String what, Question<T> question) throws IOException, InterruptedException {
    long end = System.nanoTime() + CONDITION_LIMIT.toNanos();
    while (System.nanoTime() < end) {
      Optional<T> answer = question.ask();
      if (answer.isPresent()) {
        return answer.get();
      }
      // Between two questions the only thing to wait for is the end of the process.
      if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("The service ended while waiting for " + what + "\n" + log());
      }
    }
    throw new AssertionError("Waited in vain for " + what + "\n" + log());
  }

  /// Peak of the resident set, in bytes.
  public long peakResidentBytes() throws IOException {
    return 1024 * number("status", "VmHWM:");
  }

  /// The resident set at this moment, in bytes.
  public long residentBytes() throws IOException {
    return 1024 * number("status", "VmRSS:");
  }

  /// Bytes that this process caused to be sent to storage.
  public long writtenBytes() throws IOException {
    return number("io", "write_bytes:");
  }

  /// Bytes that this process and those that it started have given to the kernel to be written. They
  /// tell how far it is, whatever time that took.
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
      // It has ended; what it had written counts for the process that started it.
      return 0;
    } catch (IOException e) {
      if (Files.exists(Path.of("/proc/" + pid))) {
        throw e;
      }
    }
    return 0;
  }

  /// Waits until [#progressBytes] is so large, until it has ended, or until there is enough.
  ///
  /// @return what [#progressBytes] was at most
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
    throw new AssertionError("Neither ended nor went on\n" + log());
  }

  private long number(String file, String key) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid(), file))) {
      if (line.startsWith(key)) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError("No " + key + " in /proc/" + pid() + "/" + file);
  }

  @Override
  public void close() {
    kill();
  }
}

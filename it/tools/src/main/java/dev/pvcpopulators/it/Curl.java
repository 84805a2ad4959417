package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// Runs curl, mainly for uploads.
public final class Curl {
  private static final String LIMIT_SECONDS = "600";

  /// The result of curl.
  ///
  /// @param exit curl's exit status; not 0 if curl failed or lost the connection
  /// @param answer the final response; its status is 0 if there was no response
  /// @param sent the number of body bytes that curl sent
  public record Result(int exit, Answer answer, long sent, String err) {
    public Answer expect(int status) {
      if (answer.status() != status) {
        throw new AssertionError(
            "Expected " + status + ", found " + answer + "\ncurl: exit " + exit + ", " + err);
      }
      return answer;
    }
  }

  private Curl() {}

  /// Runs `curl -T FILE URI`.
  public static Result upload(Path file, URI uri, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("-T", file.toString(), uri.toString()));
    command.addAll(List.of(more));
    return curl(command, Path.of("/dev/null"));
  }

  /// Runs `curl -T - URI < FILE`. The body is chunked, because curl does not know its length.
  public static Result uploadChunked(Path file, URI uri, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("-T", "-", uri.toString()));
    command.addAll(List.of(more));
    return curl(command, file);
  }

  /// Begins an upload and does not wait for its end. The caller must destroy the process.
  public static Process begin(Path file, URI uri, String... more) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("curl", "-sS", "-T", file.toString(), uri.toString()));
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /// Sends a request without a body, and returns the response.
  public static Answer ask(String uri, List<String> options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(options);
    command.add(uri);
    return curl(command, Path.of("/dev/null")).answer();
  }

  private static Result curl(List<String> arguments, Path input)
      throws IOException, InterruptedException {
    Path head = Files.createTempFile("it-curl", ".head");
    Path body = Files.createTempFile("it-curl", ".body");
    try {
      List<String> command = new ArrayList<>(List.of("curl", "-sS", "--max-time", LIMIT_SECONDS));
      command.addAll(List.of("-D", head.toString(), "-o", body.toString()));
      command.addAll(List.of("-w", "%{http_code} %{size_upload}"));
      command.addAll(arguments);
      Command.Ran ran = Command.from(input, command);
      int space = ran.out().indexOf(' ');
      if (space < 0) {
        throw new AssertionError(ran.toString());
      }
      Answer answer =
          new Answer(
              Integer.parseInt(ran.out().substring(0, space)),
              headers(Files.readString(head, UTF_8)),
              Files.readString(body, UTF_8));
      long sent = Long.parseLong(ran.out().substring(space + 1));
      return new Result(ran.status(), answer, sent, ran.err());
    } finally {
      Files.delete(head);
      Files.delete(body);
    }
  }

  /// Returns the header fields of the final response. Ignores interim responses (100).
  private static Map<String, String> headers(String text) {
    Map<String, String> headers = new HashMap<>();
    try (Stream<String> lines = text.lines()) {
      lines.forEach(line -> {
        int colon = line.indexOf(':');
        if (line.startsWith("HTTP/")) {
          headers.clear();
        } else if (colon > 0) {
          headers.put(
              line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
        }
      });
    }
    return headers;
  }
}

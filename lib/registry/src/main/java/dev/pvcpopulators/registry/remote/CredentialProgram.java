package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.cloud.tools.jib.api.Credential;
import dev.pvcpopulators.registry.ManifestJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// A credential helper program (docker/docker-credential-helpers). The program reads a host, or a
/// URL such as `https://index.docker.io/v1/`, and prints a JSON object with `Username` and
/// `Secret`.
///
/// @param command the program and its arguments
/// @param limit maximum run time, after which the program is killed
record CredentialProgram(List<String> command, Duration limit) {
  private static final Logger LOG = System.getLogger(CredentialProgram.class.getName());
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final Duration LIMIT = Duration.ofMinutes(1);

  /// The maximum length of a program's output in bytes: the capacity of a pipe. The output is read
  /// only after the program has ended. Therefore a program that prints more is blocked, and is
  /// killed after [#limit].
  private static final int ANSWER_LENGTH = 64 << 10;

  CredentialProgram {
    command = List.copyOf(command);
  }

  /// Returns the helper `docker-credential-NAME`; empty if the name is invalid.
  static Optional<CredentialProgram> named(String name) {
    return NAME.matcher(name).matches()
        ? Optional.of(new CredentialProgram(List.of("docker-credential-" + name, "get"), LIMIT))
        : Optional.empty();
  }

  /// Requests a host's credentials. Returns empty if the helper is missing, fails, exceeds its
  /// limit or prints no credentials, or if the thread is interrupted. The helper's error output is
  /// discarded, and no message quotes the helper's standard output, because both outputs may
  /// contain secrets.
  Optional<Credential> credentials(String host) {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The credential helper is not there: program={0}", command.getFirst());
      return Optional.empty();
    }
    try {
      return answer(process, host);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The credential helper failed: program={0}", command.getFirst());
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private Optional<Credential> answer(Process process, String host)
      throws IOException, InterruptedException {
    ask(process, host);
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.log(
          Level.WARNING,
          "The credential helper did not end and was killed: program={0} seconds={1}",
          command.getFirst(),
          limit.toSeconds());
      return Optional.empty();
    }
    if (process.exitValue() != 0) {
      return Optional.empty();
    }
    // Does not read to the end of the stream, because a child process of the helper may keep the
    // stream open.
    InputStream out = process.getInputStream();
    byte[] bytes = out.readNBytes(Math.min(out.available(), ANSWER_LENGTH));
    JsonNode answer = ManifestJson.read(bytes, "Credential");
    String user = answer.path("Username").asText("");
    String secret = answer.path("Secret").asText("");
    return user.isEmpty() || secret.isEmpty()
        ? Optional.empty()
        : Optional.of(Credential.from(user, secret));
  }

  private static void ask(Process process, String host) {
    try (OutputStream in = process.getOutputStream()) {
      in.write(host.getBytes(UTF_8));
    } catch (IOException e) {
      // The program may answer without reading its input, or may have failed. Its exit status
      // distinguishes the two cases.
      LOG.log(Level.DEBUG, "The credential helper did not read: reason={0}", e.getMessage());
    }
  }
}

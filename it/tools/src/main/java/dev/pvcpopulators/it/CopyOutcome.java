package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// The result of a Job.
///
/// @param exit the exit status of the Job
/// @param message the termination message; empty if there is none
/// @param log the output of the Job
/// @param residentBytes the peak of the resident set in bytes
/// @param writtenBytes the number of bytes that the Job has sent to storage
public record CopyOutcome(
    int exit, String message, String log, long residentBytes, long writtenBytes) {
  private static final int MAX_MESSAGE = 4096;
  public static final long MAX_RESIDENT = 256L << 20;

  /// Success.
  public static final int EX_OK = 0;

  /// The arguments or the request are invalid, or the volume is not accessible.
  public static final int EX_USAGE = 64;

  /// The image is damaged, does not match its digest, or is not supported.
  public static final int EX_DATAERR = 65;

  /// The image does not exist.
  public static final int EX_NOINPUT = 66;

  /// The disk does not fit into the volume, or the volume is full or not empty.
  public static final int EX_CANTCREAT = 73;

  /// The same Job may succeed later.
  public static final int EX_TEMPFAIL = 75;

  /// The source denies access, or the settings forbid the source.
  public static final int EX_NOPERM = 77;

  /// Fails the test unless the Job ended with the exit status `expected` and used less memory than
  /// [#MAX_RESIDENT]. The termination message must have at most 4096 bytes, and must contain the
  /// same exit status. After a failure, the message must also contain a reason of one line.
  public CopyOutcome expect(int expected) throws IOException {
    assertEquals(expected, exit, this::toString);
    assertTrue(residentBytes < MAX_RESIDENT, () -> "resident: " + this);
    assertTrue(message.getBytes(StandardCharsets.UTF_8).length <= MAX_MESSAGE, this::toString);
    assertEquals(expected, result().path("exitCode").asInt(-1), this::toString);
    if (expected != EX_OK) {
      assertFalse(reason().isBlank() || reason().contains("\n"), this::toString);
    }
    return this;
  }

  public CopyOutcome ok() throws IOException {
    return expect(EX_OK);
  }

  /// Returns the last line of the termination message as JSON. Fails the test if there is no
  /// message.
  public JsonNode result() throws IOException {
    assertFalse(message.isBlank(), this::toString);
    return Json.text(message.strip().lines().toList().getLast());
  }

  public JsonNode details() throws IOException {
    return result().path("details");
  }

  /// Returns the reason for the failure of the Job; empty if the Job succeeded.
  public String reason() throws IOException {
    return result().path("failure").path("detail").asText();
  }

  @Override
  public String toString() {
    return "exit "
        + exit
        + ", resident "
        + (residentBytes >> 20)
        + " MiB, written "
        + writtenBytes
        + "\n"
        + message
        + "\n"
        + log;
  }
}

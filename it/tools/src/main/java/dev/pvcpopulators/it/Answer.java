package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// An HTTP response.
///
/// @param headers the header fields by lower-case name; for a repeated name, the last value
public record Answer(int status, Map<String, String> headers, String text) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PROBLEM = "urn:pvc-populators:problem:";

  public Answer {
    headers = Map.copyOf(headers);
  }

  /// Returns the value of a header field.
  ///
  /// @param name the name in lower case
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  /// Returns the value of a header field as a number.
  ///
  /// @param name the name in lower case
  /// @throws NumberFormatException if the value is not a number
  public OptionalLong number(String name) {
    String value = headers.get(name);
    return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
  }

  public JsonNode json() {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError("No JSON: " + this, e);
    }
  }

  /// Fails the test if the response has another status than `expected`.
  public Answer expect(int expected) {
    assertEquals(expected, status, this::toString);
    return this;
  }

  /// Returns the body. Fails the test if the body is not a problem document (RFC 9457) with this
  /// response's status.
  public JsonNode problem() {
    assertEquals("application/problem+json", headers.get("content-type"), this::toString);
    JsonNode problem = json();
    assertEquals(status, problem.path("status").asInt(), this::toString);
    String type = problem.path("type").asText();
    assertTrue(type.equals("about:blank") || type.startsWith(PROBLEM), this::toString);
    assertFalse(problem.path("title").asText().isBlank(), this::toString);
    assertFalse(problem.path("detail").asText().isBlank(), this::toString);
    assertTrue(problem.path("retryable").isBoolean(), this::toString);
    return problem;
  }

  /// Returns the body. Fails the test if the body is not a problem document of this type.
  ///
  /// @param type a problem type from the table in `dynamic-volume-api/README.md`, such as
  ///   `cancelled`
  public JsonNode problem(String type) {
    JsonNode problem = problem();
    assertEquals(PROBLEM + type, problem.path("type").asText(), this::toString);
    return problem;
  }

  @Override
  public String toString() {
    return "HTTP " + status + " " + headers + "\n" + text;
  }
}

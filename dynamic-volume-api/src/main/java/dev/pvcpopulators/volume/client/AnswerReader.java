package dev.pvcpopulators.volume.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.SafeText;
import dev.pvcpopulators.volume.VolumeSource;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Reads the expected document from an answer. Throws [ProblemException] if the answer is a
/// problem, and [InvalidAnswerException] if the answer is neither the expected document nor a
/// problem.
final class AnswerReader {
  private static final int SHOWN = 64;

  private final String request;
  private final int status;
  private final String mediaType;
  private final byte[] body;

  /// Creates a reader of one answer.
  ///
  /// @param request method and address, for messages
  /// @param head the answer; only its HTTP status and its header fields are used
  AnswerReader(String request, HttpResponse<?> head, byte[] body) {
    this.request = request;
    this.status = head.statusCode();
    this.mediaType = mediaType(head);
    this.body = body;
  }

  /// Returns this reader if the answer has one of these HTTP statuses.
  ///
  /// @throws ProblemException if the answer has another HTTP status and is a problem
  /// @throws InvalidAnswerException if the answer has another HTTP status and is not a problem
  AnswerReader expect(int... statuses) throws ProblemException, InvalidAnswerException {
    if (IntStream.of(statuses).anyMatch(expected -> expected == status)) {
      return this;
    }
    String listed =
        IntStream.of(statuses).mapToObj(Integer::toString).collect(Collectors.joining(", "));
    throw new ProblemException(request, problem("status " + listed + " or a problem"));
  }

  int status() {
    return status;
  }

  /// Returns the problem in the answer.
  ///
  /// @throws InvalidAnswerException if the answer is not a problem
  Problem problem() throws InvalidAnswerException {
    return problem("a problem");
  }

  /// Returns the problem in the answer.
  ///
  /// @param expected the answer that was expected, for messages
  /// @throws InvalidAnswerException if the answer is not a problem
  Problem problem(String expected) throws InvalidAnswerException {
    if (status < 400 || !mediaType.equals(Problem.MEDIA_TYPE)) {
      throw new InvalidAnswerException(
          "%s: expected %s (%s), found %s"
              .formatted(request, expected, Problem.MEDIA_TYPE, found()));
    }
    Problem problem;
    try {
      problem = Problem.read(Notation.JSON.read(body));
    } catch (IOException e) {
      throw invalid(e);
    }
    if (problem.status() != status) {
      throw new InvalidAnswerException(
          request + ": expected a problem of status " + status + ", found " + problem.status());
    }
    return problem;
  }

  /// Returns the status document in the answer if the HTTP status is 202. Otherwise, returns the
  /// source in the answer, together with the text of the answer.
  VolumeAnswer volume() throws InvalidAnswerException {
    if (status == 202) {
      return new VolumeAnswer.UnderWay(report(Notation.YAML));
    }
    JsonNode document = document(Notation.YAML);
    try {
      return new VolumeAnswer.Usable(VolumeSource.read(document), status == 201, text());
    } catch (IOException e) {
      throw invalid(e);
    }
  }

  /// Returns the status document in the answer.
  StatusReport report(Notation notation) throws InvalidAnswerException {
    JsonNode document = document(notation);
    try {
      return StatusReport.read(document);
    } catch (IOException e) {
      throw invalid(e);
    }
  }

  private JsonNode document(Notation notation) throws InvalidAnswerException {
    if (!mediaType.equals(notation.mediaType())) {
      throw new InvalidAnswerException(
          request + ": expected " + notation.mediaType() + ", found " + found());
    }
    try {
      return notation.read(body);
    } catch (IOException e) {
      throw new InvalidAnswerException(
          "%s: expected %s, found another text: %s"
              .formatted(request, notation.mediaType(), e.getMessage()),
          e);
    }
  }

  /// Returns the body as text. Refuses a body that is not valid UTF-8. Therefore the text, encoded
  /// in UTF-8, equals the body.
  private String text() throws CharacterCodingException {
    return StandardCharsets.UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT)
        .decode(ByteBuffer.wrap(body))
        .toString();
  }

  private InvalidAnswerException invalid(IOException e) {
    return new InvalidAnswerException(request + ": " + e.getMessage(), e);
  }

  private String found() {
    return "status %d %s"
        .formatted(
            status,
            body.length == 0
                ? "without a body"
                : mediaType.isEmpty()
                    ? "without a media type"
                    : "with " + SafeText.of(mediaType, SHOWN));
  }

  /// Returns the media type without parameters, in lower case; empty if there is none.
  static String mediaType(HttpResponse<?> response) {
    String field = response.headers().firstValue("Content-Type").orElse("");
    return field.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }
}

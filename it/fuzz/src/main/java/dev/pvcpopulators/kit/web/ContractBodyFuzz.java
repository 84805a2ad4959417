package dev.pvcpopulators.kit.web;

import static dev.pvcpopulators.fuzz.Refusal.ensure;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.fuzz.Finds;
import dev.pvcpopulators.fuzz.Refusal;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import jakarta.ws.rs.core.MediaType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Fuzzes the requests of clients to `/volume`, and the texts in the answers of `/volume`.
///
/// | Bits 0–2 of byte 0 | The rest                                                     |
/// |-------------------:|--------------------------------------------------------------|
/// |                0–2 | a body in YAML, in JSON, or without a media type             |
/// |                  3 | values of `If-Match`, one per line                           |
/// |                  4 | values of `Prefer`, one per line                             |
/// |                  5 | texts for documents, one per line, see [SpokenDocuments]     |
/// |                  6 | texts in UTF-16, one per line; surrogates may be unpaired    |
public final class ContractBodyFuzz {
  private static final Set<String> ALLOWED = Set.of("image", "platform", "size", "force");

  /// The maximum length of a JSON escape for one byte, in characters.
  private static final int MOST_PER_BYTE = 6;

  private static final Duration LONGEST = Duration.ofDays(1);

  static {
    Finds.listen();
  }

  private ContractBodyFuzz() {}

  /// Reads the input. The first byte selects the meaning of the other bytes.
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    if (data.length == 0) {
      return;
    }
    byte[] rest = Arrays.copyOfRange(data, 1, data.length);
    List<String> lines = new String(rest, ISO_8859_1).lines().toList();
    switch (data[0] & 7) {
      case 0 -> body(rest, new MediaType("application", "yaml"));
      case 1 -> body(rest, MediaType.APPLICATION_JSON_TYPE);
      case 2 -> body(rest, null);
      case 3 -> precondition(lines);
      case 4 -> preference(lines);
      case 5 -> SpokenDocuments.check(new String(rest, UTF_8).split("\n", -1));
      case 6 -> SpokenDocuments.check(halves(rest).split("\n", -1));
      default -> {}
    }
    Finds.check();
  }

  private static String halves(byte[] bytes) {
    return ByteBuffer.wrap(bytes).asCharBuffer().toString();
  }

  private static void body(byte[] body, @Nullable MediaType type) throws IOException {
    VolumeRequest request;
    try {
      request = RequestBody.read(new ByteArrayInputStream(body), type, ALLOWED);
    } catch (VolumeException e) {
      refused(e);
      return;
    }
    ensure(request.toString().length() <= MOST_PER_BYTE * (body.length + 8), "Much out of little");
    ensure(request.isEmpty() == request.equals(VolumeRequest.empty()), "Empty or not: " + request);
    ensure(request.satisfiedBy(request), "Does not satisfy itself: " + request);
    boolean plain = true;
    for (String field : ALLOWED) {
      plain &= value(request, field);
    }
    if (plain) {
      for (Notation notation : Notation.values()) {
        again(request, notation);
      }
    }
  }

  private static void again(VolumeRequest request, Notation notation) {
    byte[] written = notation.write(request.fields());
    try {
      VolumeRequest again = VolumeRequest.read(written, notation, ALLOWED);
      ensure(again.equals(request), request + " is read as " + again);
    } catch (VolumeException e) {
      throw new AssertionError(new String(written, UTF_8), e);
    }
  }

  /// Reads a field as each of the types that services use.
  ///
  /// @return false if the field is present and has none of these types
  private static boolean value(VolumeRequest request, String field) {
    int kinds = 0;
    try {
      kinds += request.text(field).isPresent() ? 1 : 0;
    } catch (VolumeException e) {
      refused(e);
    }
    try {
      kinds += request.number(field).isPresent() ? 1 : 0;
    } catch (VolumeException e) {
      refused(e);
    }
    try {
      kinds += request.flag(field).isPresent() ? 1 : 0;
    } catch (VolumeException e) {
      refused(e);
    }
    ensure(kinds <= 1, "Of two kinds at once: " + request);
    return kinds == 1 || request.fields().path(field).isMissingNode();
  }

  private static void refused(VolumeException refusal) {
    Refusal.check(refusal);
    ensure(refusal.failure() instanceof Failure.InvalidRequest, "Refused as " + refusal.failure());
  }

  private static void precondition(List<String> fields) {
    try {
      Expected expected = Precondition.of(fields);
      switch (expected) {
        case Expected.Anything _ -> ensure(fields.isEmpty(), "A condition was ignored");
        case Expected.Something _ -> ensure(fields.size() == 1, "More than an asterisk");
        case Expected.Revision(var revisions) -> {
          String list =
              revisions.stream().map(tag -> '"' + tag + '"').collect(Collectors.joining(", "));
          ensure(Precondition.of(List.of(list)).equals(expected), "Read as another: " + list);
        }
      }
    } catch (VolumeException e) {
      refused(e);
    }
  }

  private static void preference(List<String> fields) {
    Preference preference = Preference.of(fields);
    preference
        .patience()
        .ifPresent(wait -> {
          ensure(!wait.isNegative() && wait.compareTo(LONGEST) <= 0, "Waits " + wait);
          ensure(
              Preference.of(List.of("wait=" + wait.toSeconds())).equals(preference),
              "Read as another: " + wait);
        });
  }
}

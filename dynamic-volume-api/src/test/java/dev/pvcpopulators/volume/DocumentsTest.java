package dev.pvcpopulators.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests that sources, problems and requests are written and read correctly.
class DocumentsTest {
  private static final Set<String> ALLOWED = Set.of("format", "size", "sparse");

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String yaml(VolumeSource source) {
    return new String(Notation.YAML.write(source.document()), StandardCharsets.UTF_8);
  }

  private static VolumeRequest read(String body) throws VolumeException {
    return VolumeRequest.read(utf8(body), Notation.YAML, ALLOWED);
  }

  @Test
  void sourcesHaveTheirSchema() {
    assertEquals("pvc:\n  claimname: some-pvc-name\n", yaml(new PvcSource("some-pvc-name")));
    assertEquals(
        """
        iscsi:
          host:
            name: 10.1.2.3
            port: "3260"
          portal: iqn.2017-01.io.kubevirt:sn.42
          lun: 2
        lun: 2
        """,
        yaml(new IscsiSource("10.1.2.3", 3260, "iqn.2017-01.io.kubevirt:sn.42", 2)));
  }

  @Test
  void sourcesAndProblemsAreReadAsTheyAreWritten() throws IOException {
    for (VolumeSource source :
        List.of(new PvcSource("no"), new IscsiSource("fd00::1", 65_535, "iqn.2017-01.x:y", 0))) {
      for (Notation notation : Notation.values()) {
        byte[] written = notation.write(source.document());
        assertEquals(source, VolumeSource.read(notation.read(written)));
      }
    }
    Problem problem = Problem.of(new Failure.ExceedsVolume("too large", 2, 1, false));
    assertArrayEquals(
        problem.toJson(), Problem.read(Notation.JSON.read(problem.toJson())).toJson());
    assertEquals("exceeds-volume", problem.kind().orElseThrow());
  }

  /// Without quotes, YAML 1.1 or YAML 1.2 would read most of the tested PVC names as numbers,
  /// dates, Booleans or null.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "no",
        "y",
        "null",
        "1e3",
        "0x1f",
        "12",
        "1.5",
        "12-30",
        "2001-01-01",
        "on",
        "n"
      })
  void nameThatLooksLikeSomethingElseIsQuoted(String name) throws IOException {
    String written = yaml(new PvcSource(name));
    assertEquals("pvc:\n  claimname: \"" + name + "\"\n", written);
    assertEquals(name, Notation.YAML.read(utf8(written)).at("/pvc/claimname").textValue());
    String field =
        new String(
            Notation.YAML.write(JsonNodeFactory.instance.objectNode().put(name, "a")),
            StandardCharsets.UTF_8);
    assertEquals("\"" + name + "\": a\n", field);
  }

  @Test
  void sourcesHaveLimits() {
    assertThrows(IllegalArgumentException.class, () -> new PvcSource(" "));
    assertThrows(IllegalArgumentException.class, () -> new IscsiSource("h", 0, "iqn", 0));
    assertThrows(IllegalArgumentException.class, () -> new IscsiSource("h", 65_536, "iqn", 0));
    assertThrows(IllegalArgumentException.class, () -> new IscsiSource("h", 1, "iqn", -1));
    assertThrows(IllegalArgumentException.class, () -> new IscsiSource("h", 1, "iqn", 16_384));
    assertEquals(16_383, new IscsiSource("h", 65_535, "iqn", 16_383).lun());
  }

  /// The expected values were copied by hand from the table of failures in the contract.
  @ParameterizedTest
  @CsvSource({
    "InvalidRequest,400,64,false",
    "Unauthenticated,401,77,false",
    "SourceDenied,403,77,false",
    "SourceNotFound,404,66,false",
    "MalformedSource,422,65,false",
    "UnsupportedSource,422,65,false",
    "DigestMismatch,422,65,false",
    "VolumeBusy,409,75,true",
    "VolumeNotEmpty,409,73,false",
    "Cancelled,409,75,true",
    "SourceUnavailable,502,75,true"
  })
  void failureHasItsRow(String name, int status, int exitCode, boolean retryable) throws Exception {
    Class<?> type = Class.forName(Failure.class.getName() + "$" + name);
    Failure failure = (Failure) type.getDeclaredConstructors()[0].newInstance("why");
    assertEquals(
        List.of(status, exitCode, retryable),
        List.of(failure.status(), failure.exitCode(), failure.retryable()));
    assertEquals("why", failure.detail());
  }

  @Test
  void sizesAndBugsHaveTheirRows() {
    Failure large = new Failure.ExceedsVolume("d", 9, 8, false);
    Failure full = new Failure.ExceedsVolume("d", 9, 8, true);
    Failure bug = new Failure.Bug("id", "d");
    assertEquals(List.of(413, 73), List.of(large.status(), large.exitCode()));
    assertEquals(List.of(507, 73), List.of(full.status(), full.exitCode()));
    assertEquals(List.of(500, 70), List.of(bug.status(), bug.exitCode()));
    JsonNode problem = Problem.of(full).document();
    assertEquals(
        "{\"type\":\"urn:pvc-populators:problem:volume-full\","
            + "\"title\":\"The volume ran out of space\",\"status\":507,\"detail\":\"d\","
            + "\"retryable\":false,\"requiredBytes\":9,\"availableBytes\":8}",
        problem.toString());
    assertEquals("id", Problem.of(bug).document().path("id").asText());
  }

  /// A client refuses a problem document whose `detail` has more than 4,096 characters. Therefore a
  /// service cuts a longer `detail`.
  @Test
  void aLongDetailIsCutAndCanBeRead() throws IOException {
    for (String text : List.of("x".repeat(4_096), "x".repeat(4_097), "x" + "💾".repeat(3_000))) {
      Problem problem = Problem.of(new Failure.InvalidRequest(text));
      Problem read = Problem.read(Notation.JSON.read(problem.toJson()));
      assertEquals(problem.detail(), read.detail());
      assertEquals(text.length() > 4_096, read.detail().endsWith("…"));
      assertTrue(text.startsWith(read.detail().replace("…", "")), read::detail);
    }
  }

  @Test
  void unknownSizesAreOmitted() {
    JsonNode neither = Problem.of(new Failure.ExceedsVolume("d", -1, -1, true)).document();
    assertFalse(neither.has("requiredBytes") || neither.has("availableBytes"), neither::toString);
    JsonNode one = Problem.of(new Failure.ExceedsVolume("d", -1, 0, true)).document();
    assertFalse(one.has("requiredBytes"), one::toString);
    assertEquals(0, one.path("availableBytes").asLong(-1));
  }

  @Test
  void nothingIsTheEmptyRequest() throws Exception {
    for (String nothing : List.of("", "\n", "# only a comment\n", "null", "{}", "---\n")) {
      assertTrue(read(nothing).isEmpty(), nothing);
    }
    assertTrue(VolumeRequest.read(utf8("{}"), Notation.JSON, ALLOWED).isEmpty());
  }

  @Test
  void fieldsHaveTypes() throws Exception {
    VolumeRequest request = read("format: raw\nsize: 12\nsparse: true\n");
    assertEquals("raw", request.text("format").orElseThrow());
    assertEquals(12, request.number("size").orElseThrow());
    assertEquals(true, request.flag("sparse").orElseThrow());
    assertThrows(VolumeException.class, () -> request.text("size"));
    assertThrows(VolumeException.class, () -> request.number("format"));
    assertThrows(VolumeException.class, () -> request.flag("size"));
    assertThrows(VolumeException.class, () -> read("size: 9223372036854775808").number("size"));
    assertEquals(Long.MAX_VALUE, read("size: 9223372036854775807").number("size").orElseThrow());
    assertEquals(
        request,
        VolumeRequest.read(
            utf8("{\"sparse\":true,\"size\":12,\"format\":\"raw\"}"), Notation.JSON, ALLOWED));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "colour: 1",
        "format: &a [x]\nsize: *a",
        "format: *a",
        "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]",
        "format: !!java.net.URL [x]",
        "format: !secret raw",
        "format: raw\nformat: qcow2",
        "format: raw\n---\nformat: raw",
        "- format",
        "raw",
        "{",
        "format: [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
        "format: \u0000",
        "<<: {format: raw}"
      })
  void requestIsRefused(String body) {
    VolumeException refused = assertThrows(VolumeException.class, () -> read(body));
    assertInstanceOf(Failure.InvalidRequest.class, refused.failure());
  }

  @Test
  void requestHasALongestLength() throws Exception {
    assertTrue(read("#" + "x".repeat(VolumeRequest.MAX_BYTES - 1)).isEmpty());
    assertThrows(VolumeException.class, () -> read("#" + "x".repeat(VolumeRequest.MAX_BYTES)));
  }

  @Test
  void requestIsSatisfiedByItsLikeOrAnything() throws Exception {
    VolumeRequest raw = read("format: raw");
    assertTrue(raw.satisfiedBy(read("format: raw")));
    assertTrue(VolumeRequest.empty().satisfiedBy(raw));
    assertEquals(false, raw.satisfiedBy(VolumeRequest.empty()));
    assertEquals(false, raw.satisfiedBy(read("format: qcow2")));
  }

  @Test
  void requestCannotBeChangedFromOutside() {
    var fields = JsonNodeFactory.instance.objectNode().put("format", "raw");
    VolumeRequest request = new VolumeRequest(fields);
    fields.put("format", "qcow2");
    request.fields().put("format", "vdi");
    assertEquals("raw", request.fields().path("format").asText());
  }
}

package dev.pvcpopulators.kit.web;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.anyOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.lifecycle.FakePopulator.End;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.PvcSource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.builder.RequestSpecBuilder;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class VolumeResourceTest {
  static final String TOKEN = "correct-horse";

  @Inject FakeBean fake;
  @Inject VolumeLifecycle lifecycle;

  @BeforeEach
  void nothingThere() throws Exception {
    RestAssured.requestSpecification =
        new RequestSpecBuilder().addHeader("Authorization", "Bearer " + TOKEN).build();
    fake.deletionFailure = null;
    lifecycle.delete(new Expected.Anything()).get(5, TimeUnit.MINUTES);
    fake.begun.drainPermits();
    fake.created.set(0);
    fake.deleted.set(0);
    fake.cancelled.set(0);
  }

  private static <T> Future<T> later(Supplier<T> call) {
    FutureTask<T> task = new FutureTask<>(call::get);
    Thread.ofVirtual().start(task);
    return task;
  }

  private void until(Phase phase) throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    try (Registration _ =
        lifecycle.watch(status -> {
          if (status.phase() == phase) {
            reached.countDown();
          }
        })) {
      if (lifecycle.status().phase() != phase) {
        assertTrue(reached.await(5, TimeUnit.MINUTES), "reached " + phase);
      }
    }
  }

  private void succeed() throws InterruptedException {
    fake.ends.put(new End.Success(new PvcSource("some-pvc-name")));
  }

  private Response put() {
    return given().put("/volume");
  }

  @Test
  void putBlocksAndAnswersTheSourceAsYaml() throws Exception {
    Future<Response> first = later(this::put);
    until(Phase.Pending);
    succeed();
    first
        .get(5, TimeUnit.MINUTES)
        .then()
        .statusCode(201)
        .contentType("application/yaml")
        .body(equalTo("pvc:\n  claimname: some-pvc-name\n"));
    put().then().statusCode(200).body(equalTo("pvc:\n  claimname: some-pvc-name\n"));
    given().get("/volume").then().statusCode(200).contentType("application/yaml");
    given()
        .accept("application/json")
        .get("/volume")
        .then()
        .statusCode(200)
        .contentType("application/json")
        .body("pvc.claimname", equalTo("some-pvc-name"));
    assertEquals(1, fake.created.get());
  }

  @Test
  void iscsiHasItsLunTwice() throws Exception {
    var _ = lifecycle.put(dev.pvcpopulators.volume.VolumeRequest.empty());
    fake.ends.put(
        new End.Success(new IscsiSource("10.1.2.3", 3260, "iqn.2017-01.io.kubevirt:sn.42", 2)));
    until(Phase.Ready);
    String twice =
        """
        iscsi:
          host:
            name: 10.1.2.3
            port: "3260"
          portal: iqn.2017-01.io.kubevirt:sn.42
          lun: 2
        lun: 2
        """;
    given().get("/volume").then().statusCode(200).body(equalTo(twice));
  }

  @Test
  void failedCreationIsAProblemAndANewPutRestarts() throws Exception {
    Future<Response> first = later(this::put);
    fake.ends.put(new End.Failed(new Failure.ExceedsVolume("too big", 20, 10, false)));
    first
        .get(5, TimeUnit.MINUTES)
        .then()
        .statusCode(413)
        .contentType("application/problem+json")
        .body("type", equalTo("urn:pvc-populators:problem:exceeds-volume"))
        .body("requiredBytes", equalTo(20))
        .body("availableBytes", equalTo(10))
        .body("retryable", equalTo(false));
    given().get("/volume").then().statusCode(413).body("detail", equalTo("too big"));
    given().get("/volume/status").then().statusCode(200).body("failure.status", equalTo(413));
    Future<Response> second = later(this::put);
    succeed();
    second.get(5, TimeUnit.MINUTES).then().statusCode(201);
  }

  @Test
  void crashIsABugWithoutItsSecret() throws Exception {
    Future<Response> first = later(this::put);
    fake.ends.put(new End.Crash());
    first
        .get(5, TimeUnit.MINUTES)
        .then()
        .statusCode(500)
        .contentType("application/problem+json")
        .body("id", not(equalTo(null)))
        .body(not(containsString("secret")));
  }

  @Test
  void unknownPathsMethodsAndTypesAreProblems() {
    given()
        .get("/nowhere")
        .then()
        .statusCode(404)
        .contentType("application/problem+json")
        .body("status", equalTo(404));
    given().post("/volume").then().statusCode(405).contentType("application/problem+json");
    given()
        .accept("text/html")
        .get("/volume")
        .then()
        .statusCode(406)
        .contentType("application/problem+json");
    given()
        .contentType("text/csv")
        .body("a")
        .put("/volume")
        .then()
        .statusCode(415)
        .contentType("application/problem+json");
    given()
        .contentType("application/yaml")
        .body("a: &x 1\nb: *x\n".getBytes(StandardCharsets.UTF_8))
        .put("/volume")
        .then()
        .statusCode(400)
        .contentType("application/problem+json");
    given()
        .contentType("application/json")
        .body("{\"colour\":1}")
        .put("/volume")
        .then()
        .statusCode(400)
        .body("detail", containsString("colour"));
    given().get("/volume").then().statusCode(404).contentType("application/problem+json");
  }

  @Test
  void putsJoinAndOnesThatDifferAreTurnedAway() throws Exception {
    Future<Response> first =
        later(() ->
            given().contentType("application/json").body("{\"format\":\"raw\"}").put("/volume"));
    until(Phase.Pending);
    Future<Response> same =
        later(() ->
            given()
                .contentType("application/yaml")
                .body("format: raw\n".getBytes(StandardCharsets.UTF_8))
                .put("/volume"));
    given()
        .contentType("application/json")
        .body("{\"format\":\"qcow2\"}")
        .put("/volume")
        .then()
        .statusCode(409)
        .body("retryable", equalTo(true))
        .body("type", equalTo("urn:pvc-populators:problem:volume-busy"));
    given().header("Prefer", "respond-async").put("/volume").then().statusCode(202);
    succeed();
    first.get(5, TimeUnit.MINUTES).then().statusCode(201);
    // The second request may arrive before or after the end of the creation, so both statuses are
    // valid.
    same.get(5, TimeUnit.MINUTES).then().statusCode(anyOf(equalTo(200), equalTo(201)));
    given()
        .contentType("application/json")
        .body("{\"format\":\"qcow2\"}")
        .put("/volume")
        .then()
        .statusCode(409)
        .body("type", equalTo("urn:pvc-populators:problem:volume-not-empty"));
    assertEquals(1, fake.created.get());
  }

  @Test
  void preferDecidesHowLongAPutBlocks() throws Exception {
    given()
        .header("Prefer", "respond-async")
        .put("/volume")
        .then()
        .statusCode(202)
        .header("Location", equalTo("/volume"))
        .header("Retry-After", equalTo("2"))
        .header("Preference-Applied", equalTo("respond-async"))
        .contentType("application/yaml")
        .body(startsWith("phase: Pending\n"));
    given()
        .header("Prefer", "respond-async, wait=1")
        .accept("application/json")
        .put("/volume")
        .then()
        .statusCode(202)
        .header("Preference-Applied", equalTo("wait=1"))
        .body("phase", equalTo("Pending"));
    given().get("/volume").then().statusCode(202).body(startsWith("phase: Pending\n"));
    succeed();
    until(Phase.Ready);
    given().header("Prefer", "respond-async").put("/volume").then().statusCode(200);
  }

  private static String revision() {
    return given().get("/volume/status").path("revision");
  }

  private static ValidatableResponse deleteIf(String... ifMatch) {
    RequestSpecification request = given();
    for (String field : ifMatch) {
      request = request.header("If-Match", field);
    }
    return request.delete("/volume").then();
  }

  @Test
  void deleteRemovesOnlyTheRevisionOfTheClient() throws Exception {
    deleteIf("*").statusCode(412);
    Future<Response> first = later(this::put);
    until(Phase.Pending);
    String creating = revision();
    succeed();
    first.get(5, TimeUnit.MINUTES).then().statusCode(201);
    deleteIf("\"" + creating + "\"")
        .statusCode(412)
        .contentType("application/problem+json")
        .body("detail", startsWith("The volume has changed meanwhile: "));
    String ready = revision();
    deleteIf("W/\"" + ready + "\"").statusCode(412);
    deleteIf(ready).statusCode(400).body("detail", containsString("If-Match"));
    given().get("/volume").then().statusCode(200);
    assertEquals(0, fake.deleted.get());
    deleteIf("\"a,b\" , \"c\"", "\"" + ready + "\"").statusCode(204);
    assertEquals(1, fake.deleted.get());
  }

  @Test
  void deleteCancelsAndRemovesAndIsContentWithNothing() throws Exception {
    given().delete("/volume").then().statusCode(204);
    assertEquals(0, fake.deleted.get(), "nothing was there to be removed");
    Future<Response> first = later(this::put);
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES));
    given().delete("/volume").then().statusCode(204);
    first
        .get(5, TimeUnit.MINUTES)
        .then()
        .statusCode(409)
        .body("type", equalTo("urn:pvc-populators:problem:cancelled"));
    assertEquals(1, fake.cancelled.get());
    assertEquals(1, fake.deleted.get());
    given().get("/volume").then().statusCode(404);
  }

  @Test
  void deletionThatFailsIsAProblemAndCanBeTriedAgain() throws Exception {
    Future<Response> first = later(this::put);
    succeed();
    first.get(5, TimeUnit.MINUTES).then().statusCode(201);
    fake.deletionFailure = new Failure.VolumeBusy("somebody holds it");
    given().delete("/volume").then().statusCode(409).body("detail", equalTo("somebody holds it"));
    fake.deletionFailure = null;
    given().delete("/volume").then().statusCode(204);
  }

  @Test
  void bodyHasALimit() {
    byte[] atLimit = ("#" + "x".repeat(65_535)).getBytes(StandardCharsets.UTF_8);
    given()
        .contentType("application/yaml")
        .header("Prefer", "respond-async")
        .body(atLimit)
        .put("/volume")
        .then()
        .statusCode(202);
    byte[] beyond = ("#" + "x".repeat(65_536)).getBytes(StandardCharsets.UTF_8);
    given()
        .contentType("application/yaml")
        .body(beyond)
        .put("/volume")
        .then()
        .statusCode(413)
        .contentType("application/problem+json");
  }

  @Test
  void healthMetricsAndOpenApiAnswer() {
    given().get("/q/health/ready").then().statusCode(200);
    given().get("/q/health/live").then().statusCode(200);
    given().get("/q/health/started").then().statusCode(200);
    given()
        .get("/q/metrics")
        .then()
        .statusCode(200)
        .body(containsString("pvc_populator_phase"))
        .body(containsString("pvc_populator_received_bytes_total"))
        .body(containsString("pvc_populator_written_bytes_total"));
    given()
        .get("/q/openapi")
        .then()
        .statusCode(200)
        .body(containsString("\n  /volume:\n    put:"))
        .body(containsString("\n  /volume/status:\n"))
        .body(containsString("\n  /volume/status/failures:\n"))
        .body(containsString("name: X-Populator-Token"))
        .body(containsString("iqn.2017-01"));
  }

  @Test
  void descriptionIsJsonForClientsThatPreferJson() {
    String put = "paths.'/volume'.put.summary";
    given()
        .accept("application/json")
        .get("/q/openapi")
        .then()
        .contentType("application/json")
        .body(put, equalTo("Make the volume"));
    given()
        .get("/q/openapi?format=json")
        .then()
        .contentType("application/json")
        .body(put, equalTo("Make the volume"));
    given()
        .accept("application/json")
        .get("/q/openapi?format=YAML")
        .then()
        .contentType("application/yaml")
        .body(startsWith("#"));
    given().head("/q/openapi").then().statusCode(200).contentType("application/yaml");
    given().put("/q/openapi").then().statusCode(405);
    given().accept("text/html").get("/q/openapi").then().statusCode(406);
  }

  @Test
  void malformedQueriesAndMediaTypesAreNoDefects() throws IOException {
    for (String path : List.of("/q/openapi?format=%zz", "/volume/status?follow=%zz")) {
      try (RawRequest raw = new RawRequest()) {
        raw.send(
            "GET " + path + " HTTP/1.1",
            "Host: x",
            path.startsWith("/q") ? "Accept: */*" : "Accept: text/event-stream",
            "Authorization: Bearer " + TOKEN);
        List<String> head = raw.head();
        assertEquals("HTTP/1.1 400 Bad Request", head.getFirst(), path);
      }
    }
    for (String path : List.of("/q/openapi", "/volume/status")) {
      given()
          .header("Accept", "application/json, x")
          .get(path)
          .then()
          .statusCode(anyOf(equalTo(400), equalTo(406)));
    }
  }
}

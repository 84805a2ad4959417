package dev.pvcpopulators.kit.web;

import static io.restassured.RestAssured.given;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/// Tests the limit of log lines in a separate application, so that no other test uses up the lines.
@QuarkusTest
@TestProfile(RefusalLogTest.Own.class)
class RefusalLogTest {
  public static final class Own implements QuarkusTestProfile {}

  /// The lines of the log under test.
  private static final class Lines extends Handler {
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    @Override
    public void publish(LogRecord logged) {
      lines.add(logged.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}

    String next() throws InterruptedException {
      String line = lines.poll(5, TimeUnit.MINUTES);
      assertTrue(line != null, "a line");
      return line == null ? "" : line;
    }
  }

  @Test
  void refusedRequestsLeaveOneLineWithoutCredentials() throws Exception {
    Logger logger = Logger.getLogger(RefusalLog.class.getName());
    Lines lines = new Lines();
    long begun = System.nanoTime();
    logger.addHandler(lines);
    try {
      given().header("Authorization", "Bearer a-wrong-secret").get("/volume?key=another-secret");
      String stranger = lines.next();
      assertTrue(
          stranger.startsWith("A request was refused: status=401 method=GET path=/volume address="),
          stranger);
      assertTrue(stranger.contains("reason=Authenticating"), stranger);
      assertFalse(stranger.contains("secret"), stranger);
      given().header("X-Populator-Token", "a-wrong-secret").get("/volume");
      assertFalse(lines.next().contains("secret"));
      given()
          .header("X-Populator-Token", "a-wrong-secret")
          .header("Authorization", "Bearer another-secret")
          .get("/volume");
      String contradiction = lines.next();
      assertTrue(contradiction.contains("status=400 method=GET path=/volume"), contradiction);
      assertFalse(contradiction.contains("secret"), contradiction);
      given()
          .header("Authorization", "Bearer " + VolumeResourceTest.TOKEN)
          .header("Content-Type", "application/json")
          .body("{\"nonsense\":true}")
          .put("/volume");
      String client = lines.next();
      assertTrue(client.contains("status=400 method=PUT path=/volume"), client);
      assertTrue(client.contains("reason="), client);
      try (RawRequest raw = new RawRequest()) {
        raw.send(
            "DELETE /volume HTTP/1.1",
            "Host: x",
            "Authorization: Bearer " + VolumeResourceTest.TOKEN,
            "Transfer-Encoding: chunked",
            "",
            "zz");
        String unreadable = lines.next();
        assertTrue(unreadable.contains("status=400 method=DELETE path=/volume"), unreadable);
        assertTrue(unreadable.contains("reason=Reading the body: expected chunks"), unreadable);
      }
      given()
          .header("Authorization", "Bearer " + VolumeResourceTest.TOKEN)
          .get("/volume/status/failures")
          .then()
          .statusCode(200);
      for (int i = 0; i < 50; i++) {
        given().get("/volume/\033[31m").then().statusCode(401);
      }
      // The number of requests is larger than the maximum number of log lines in a minute.
      for (int i = 0; i < 70; i++) {
        try (RawRequest raw = new RawRequest()) {
          raw.send("GET /volume HTTP/1.1", "Host: x", "Host: y");
          assertTrue(raw.head().getFirst().contains(" 400 "));
        }
      }
      given().header("Authorization", "Bearer " + VolumeResourceTest.TOKEN).get("/none");
      int guesses = 0;
      for (String line = lines.next(); !line.contains("status=404"); line = lines.next()) {
        boolean guess = line.contains("status=401");
        assertTrue(guess || line.contains("reason=Expected one Host"), line);
        guesses += guess ? 1 : 0;
      }
      // In each minute, the log may have ten lines about clients without access. The minutes in
      // which the test began and ended also count.
      long minutes = 2 + Duration.ofNanos(System.nanoTime() - begun).toMinutes();
      assertTrue(guesses < 10 * minutes, guesses + " lines of strangers");
    } finally {
      logger.removeHandler(lines);
    }
  }
}

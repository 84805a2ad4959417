package dev.pvcpopulators.kit.security;

import static io.restassured.RestAssured.given;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Tests a service on a loopback address without authentication.
@QuarkusTest
@TestProfile(LocalAccessTest.Open.class)
class LocalAccessTest {
  public static final class Open implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of("populator.token", "", "populator.auth", "none");
    }
  }

  @Test
  void otherNamesAreRefusedAlsoWithoutAuthentication() {
    given().header("Host", "rebound.example").get("/volume/status").then().statusCode(421);
    given().header("Host", "localhost").get("/volume/status").then().statusCode(200);
  }
}

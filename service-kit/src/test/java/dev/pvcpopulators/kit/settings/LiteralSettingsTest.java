package dev.pvcpopulators.kit.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks settings that contain dollar signs.
class LiteralSettingsTest {
  private static final int ENVIRONMENT = 300;
  private static final int SYSTEM_PROPERTIES = 400;
  private static final int APPLICATION_PROPERTIES = 250;

  private static SmallRyeConfigBuilder fakeService() {
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .addDiscoveredInterceptors()
        .addDiscoveredSources()
        .withSources(
            new PropertiesConfigSource(
                Map.of(
                    "quarkus.application.name", "fake-service",
                    "elsewhere", "from elsewhere",
                    "populator.claim-name", "${elsewhere}",
                    "fake-service.other", "${elsewhere}"),
                "application.properties",
                APPLICATION_PROPERTIES));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"pa$$word", "a${b}", "a$b${elsewhere}", "\\${x}", "$", "$$$${a:-b}", "a\\$\\\\b"})
  void theEnvironmentIsTakenAsItStands(String value) {
    SmallRyeConfig config =
        fakeService()
            .withSources(
                new EnvConfigSource(
                    Map.of("POPULATOR_TOKEN", value, "FAKE_SERVICE_PASSWORD", value), ENVIRONMENT))
            .build();
    assertEquals(value, config.getValue("populator.token", String.class));
    assertEquals(value, config.getValue("fake-service.password", String.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"pa$$word", "a${b}", "a$b${elsewhere}", "\\${x}"})
  void soAreSystemProperties(String value) {
    SmallRyeConfig config =
        fakeService()
            .withSources(
                new PropertiesConfigSource(
                    Map.of("populator.token", value, "fake-service.password", value),
                    "system",
                    SYSTEM_PROPERTIES))
            .build();
    assertEquals(value, config.getValue("populator.token", String.class));
    assertEquals(value, config.getValue("fake-service.password", String.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tls$$/a", "/tls/${b}", "/a$b${elsewhere}", "\\${x}", "/\\$$"})
  void derivedSettingsAreLiteral(String value) {
    SmallRyeConfig config =
        fakeService()
            .withSources(
                new EnvConfigSource(
                    Map.of("POPULATOR_TLS_CERTIFICATE", value, "POPULATOR_TLS_KEY", value),
                    ENVIRONMENT))
            .build();
    assertEquals(value, config.getValue("quarkus.tls.key-store.pem.0.cert", String.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"populator.claim-name", "fake-service.other", "quarkus.http.host"})
  void quarkusAndPropertyFilesMayHaveExpressions(String name) {
    SmallRyeConfig config =
        fakeService()
            .withSources(
                new EnvConfigSource(Map.of("QUARKUS_HTTP_HOST", "${elsewhere}"), ENVIRONMENT))
            .build();
    assertEquals("from elsewhere", config.getValue(name, String.class));
  }
}

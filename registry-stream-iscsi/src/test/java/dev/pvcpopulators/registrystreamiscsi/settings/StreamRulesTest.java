package dev.pvcpopulators.registrystreamiscsi.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.kit.settings.DerivedSettings;
import dev.pvcpopulators.kit.settings.Mistake;
import dev.pvcpopulators.kit.settings.NamedFiles;
import dev.pvcpopulators.kit.settings.StartCheck;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests settings that prevent the service from starting.
final class StreamRulesTest {
  private static final int ENVIRONMENT = 300;
  private static final String TOKEN =
      "POPULATOR_TOKEN=a-token-of-24-characters POPULATOR_HTTP_CLEARTEXT_TOKENS=true";
  private static final String IMAGE = "REGISTRY_STREAM_ISCSI_IMAGE=registry.example/vms/a";
  private static final String CHAP =
      " REGISTRY_STREAM_ISCSI_CHAP_USER=vm REGISTRY_STREAM_ISCSI_CHAP_SECRET_FILE=/etc/chap/secret";

  /// Returns the names of the variables with invalid settings.
  private static List<String> mistakes(String settings) {
    Map<String, String> environment = new HashMap<>(Map.of("QUARKUS_HTTP_HOST", "0.0.0.0"));
    for (String setting : (TOKEN + " " + settings).split(" ", -1)) {
      String[] parts = setting.split("=", 2);
      environment.put(parts[0], parts[1]);
    }
    return new StartCheck(List.of(RegistryStreamIscsiSettings.class), NamedFiles.elsewhere())
            .run(() ->
                new SmallRyeConfigBuilder()
                    .addDefaultInterceptors()
                    .addDiscoveredConverters()
                    .withValidateUnknown(false)
                    .withSources(new EnvConfigSource(environment, ENVIRONMENT))
                    .withSources(new DerivedSettings()))
            .mistakes()
            .stream()
            .map(Mistake::variable)
            .toList();
  }

  /// With each of the listed settings, other hosts could use a LUN without authentication.
  @ParameterizedTest
  @ValueSource(
      strings = {
        IMAGE,
        IMAGE + " REGISTRY_STREAM_ISCSI_BIND=0.0.0.0",
        IMAGE + " REGISTRY_STREAM_ISCSI_BIND=127.0.0.1,192.0.2.1",
        IMAGE + " REGISTRY_STREAM_ISCSI_BIND=lun.vms.svc",
        IMAGE + " QUARKUS_HTTP_HOST=127.0.0.1 REGISTRY_STREAM_ISCSI_BIND=::",
        // Clients may name images later. The settings of the single LUN then apply to these images.
        "REGISTRY_STREAM_ISCSI_COPY_MODE=copy-on-write"
      })
  void anOpenPortalIsAMistake(String settings) {
    assertEquals(List.of("REGISTRY_STREAM_ISCSI_CHAP_USER"), mistakes(settings));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        IMAGE + CHAP,
        IMAGE + " REGISTRY_STREAM_ISCSI_INITIATORS=iqn.1994-05.com.redhat:node-1",
        IMAGE + " REGISTRY_STREAM_ISCSI_INITIATORS=192.0.2.0/24",
        IMAGE + " REGISTRY_STREAM_ISCSI_AUTH=none",
        IMAGE + " REGISTRY_STREAM_ISCSI_BIND=127.0.0.1,::1",
        IMAGE + " QUARKUS_HTTP_HOST=127.0.0.1",
        IMAGE + " POPULATOR_MODE=job",
        "REGISTRY_STREAM_ISCSI_LUNS_0__IMAGE=registry.example/vms/a"
            + " REGISTRY_STREAM_ISCSI_LUNS_0__INITIATORS=192.0.2.0/24"
      })
  void aPortalThatIsNotOpenIsNone(String settings) {
    assertEquals(List.of(), mistakes(settings));
  }

  /// The settings of one LUN do not restrict the initiators of another LUN.
  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0"})
  void eachLunIsJudged(int closed, int open) {
    String settings =
        "REGISTRY_STREAM_ISCSI_LUNS_0__IMAGE=registry.example/vms/a"
            + " REGISTRY_STREAM_ISCSI_LUNS_1__IMAGE=registry.example/vms/b"
            + " REGISTRY_STREAM_ISCSI_LUNS_%d__INITIATORS=192.0.2.0/24".formatted(closed)
            + CHAP;
    assertEquals(
        List.of("REGISTRY_STREAM_ISCSI_LUNS_%d__CHAP_USER".formatted(open)), mistakes(settings));
  }

  /// A login does not name a LUN. If one CHAP name had two secrets, a login with one secret would
  /// also give access to the LUN of the other secret.
  @Test
  void twoSecretFilesForOneChapNameAreAMistake() {
    String settings =
        "REGISTRY_STREAM_ISCSI_LUNS_0__IMAGE=registry.example/vms/a"
            + " REGISTRY_STREAM_ISCSI_LUNS_0__CHAP_USER=vm"
            + " REGISTRY_STREAM_ISCSI_LUNS_0__CHAP_SECRET_FILE=/etc/chap/a"
            + " REGISTRY_STREAM_ISCSI_LUNS_1__IMAGE=registry.example/vms/b"
            + " REGISTRY_STREAM_ISCSI_LUNS_1__CHAP_USER=vm"
            + " REGISTRY_STREAM_ISCSI_LUNS_1__CHAP_SECRET_FILE=/etc/chap/";
    assertEquals(List.of(), mistakes(settings + "a"));
    assertEquals(
        List.of("REGISTRY_STREAM_ISCSI_LUNS_1__CHAP_SECRET_FILE"), mistakes(settings + "b"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"chap", "any", "true"})
  void noOtherWordOpensIt(String word) {
    String auth = "REGISTRY_STREAM_ISCSI_AUTH=" + word;
    assertEquals(
        List.of("REGISTRY_STREAM_ISCSI_AUTH", "REGISTRY_STREAM_ISCSI_CHAP_USER"),
        mistakes(IMAGE + " " + auth).stream().sorted().toList(),
        () -> Arrays.toString(auth.split("=", 2)));
  }
}

package dev.pvcpopulators.imagetoqcow2layers.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.Platform;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuestProcessTest {
  private static final UserLookup.User USER =
      new UserLookup.User(1000, 100, List.of(29L), "/home/alice");

  private static ProcessOverrides none(String hostname) {
    return new ProcessOverrides(
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        hostname);
  }

  private static final ProcessOverrides NONE = none("box");

  private static ImageConfig config(
      List<String> environment, List<String> entrypoint, List<String> command) {
    return config(environment, entrypoint, command, "", List.of(), "");
  }

  private static ImageConfig config(
      List<String> environment,
      List<String> entrypoint,
      List<String> command,
      String workingDirectory,
      List<String> volumes,
      String stopSignal) {
    return new ImageConfig(
        new Platform("linux", "amd64", ""),
        List.of(),
        environment,
        Map.of(),
        entrypoint,
        command,
        workingDirectory,
        "alice",
        volumes,
        List.of(),
        stopSignal);
  }

  private static GuestProcess of(ImageConfig config, ProcessOverrides overrides) throws Exception {
    return GuestProcess.of(config, overrides, USER);
  }

  @Test
  void takesTheImageAsItIs() throws Exception {
    ImageConfig image =
        config(
            List.of("A=1", "PATH=/opt/bin", "broken", "=empty", "A=2", "EMPTY="),
            List.of("/entry"),
            List.of("a", ""),
            "srv/./x/../app//",
            List.of("/b/", "/a/../b", "c"),
            "SIGQUIT");
    assertEquals(
        new GuestProcess(
            List.of("/entry", "a", ""),
            List.of(
                "PATH=/opt/bin", "HOSTNAME=box", "TERM=xterm", "HOME=/home/alice", "A=2", "EMPTY="),
            "/srv/app",
            1000,
            100,
            List.of(29L),
            "box",
            List.of("/b", "/c"),
            "SIGQUIT"),
        of(image, NONE));
  }

  @Test
  void takesDefaultsForWhatIsMissing() throws Exception {
    GuestProcess process = of(config(List.of(), List.of(), List.of("sh")), NONE);
    assertEquals(GuestProcess.DEFAULT_PATH, process.variable("PATH"));
    assertEquals("/", process.workingDirectory());
    assertEquals("SIGTERM", process.stopSignal());
    assertEquals("", process.variable("PAT"));
  }

  @Test
  void overridesAsDockerRunDoes() throws Exception {
    ImageConfig image = config(List.of("A=1", "B=2"), List.of("/entry"), List.of("default"));
    assertEquals(List.of("/entry", "mine"), arguments(image, null, List.of("mine")));
    assertEquals(List.of("/entry"), arguments(image, null, List.of()));
    assertEquals(List.of("/other"), arguments(image, List.of("/other"), null));
    assertEquals(List.of("/other", "x"), arguments(image, List.of("/other"), List.of("x")));
    assertEquals(List.of("x"), arguments(image, List.of(), List.of("x")));
    ProcessOverrides overrides =
        new ProcessOverrides(
            Optional.empty(),
            Optional.empty(),
            List.of("B=3", "HOME=/h", "C=4"),
            Optional.empty(),
            Optional.of("/w"),
            "other");
    GuestProcess process = of(image, overrides);
    assertEquals("/w", process.workingDirectory());
    assertEquals(
        List.of(
            "PATH=" + GuestProcess.DEFAULT_PATH,
            "HOSTNAME=other",
            "TERM=xterm",
            "HOME=/h",
            "A=1",
            "B=3",
            "C=4"),
        process.environment());
  }

  private static List<String> arguments(
      ImageConfig image, @Nullable List<String> entrypoint, @Nullable List<String> command)
      throws Exception {
    return of(
            image,
            new ProcessOverrides(
                Optional.ofNullable(entrypoint),
                Optional.ofNullable(command),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                "box"))
        .arguments();
  }

  @Test
  void refusesAnImageWithoutEntrypointAndCommand() {
    for (List<String> command : List.of(List.<String>of(), List.of(""), List.of("", "x"))) {
      UnsupportedFeatureException thrown =
          assertThrows(
              UnsupportedFeatureException.class,
              () -> of(config(List.of(), List.of(), command), NONE));
      assertTrue(
          String.valueOf(thrown.getMessage()).contains("neither an entrypoint nor"),
          thrown.getMessage());
    }
  }

  @Test
  void refusesArgumentsThatAProcessCannotReceive() throws Exception {
    String longest = "x".repeat(GuestProcess.MAX_STRING - 1);
    assertEquals(
        longest, of(config(List.of(), List.of("a"), List.of(longest)), NONE).arguments().get(1));
    refused(config(List.of(), List.of("a"), List.of(longest + "x")));
    refused(config(List.of(), List.of("a\0b"), List.of()));
    refused(config(List.of("A=\0"), List.of("a"), List.of()));
    refused(config(List.of(), List.of("a"), List.of(), "/\0", List.of(), ""));
    refused(config(List.of(), List.of("a"), List.of(), "", List.of("/v\0"), ""));
    refused(config(List.of(), List.of("a"), List.of(), "", List.of("/.."), ""));
    refused(config(List.of(), List.of("a"), List.of(), "", List.of(), "SIGNOTHING"));
    int most = GuestProcess.MAX_STRINGS / (GuestProcess.MAX_STRING + Long.BYTES);
    refused(config(List.of(), List.of("a"), Collections.nCopies(most + 1, longest)));
    of(config(List.of(), List.of("a"), Collections.nCopies(most - 1, longest)), NONE);
  }

  private static void refused(ImageConfig config) {
    assertThrows(UnsupportedFeatureException.class, () -> of(config, NONE));
  }

  @Test
  void doesNotShowTheValuesOfVariables() {
    UnsupportedFeatureException thrown =
        assertThrows(
            UnsupportedFeatureException.class,
            () -> of(config(List.of("TOKEN=secret\0"), List.of("a"), List.of()), NONE));
    assertTrue(String.valueOf(thrown.getMessage()).contains("TOKEN"), thrown.getMessage());
    assertTrue(!String.valueOf(thrown.getMessage()).contains("secret"), thrown.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", "a b", "a\n", "a'b", "ä", ".x"})
  void refusesHostnames(String hostname) {
    assertThrows(
        UnsupportedFeatureException.class,
        () -> of(config(List.of(), List.of("a"), List.of()), none(hostname)));
  }
}

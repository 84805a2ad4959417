package dev.pvcpopulators.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.kit.settings.Mistake;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.Setting;
import dev.pvcpopulators.kubernetes.manifest.ContainerSettings;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks the examples in the services' messages about invalid settings. Each example must be a
/// valid value of its setting.
@Tag("tools")
class SettingExamplesTest {
  private static final String STATUS_PORT = "POPULATOR_STATUS_PORT";

  static Stream<Arguments> settings() {
    return PopulatorService.all().stream()
        .flatMap(service ->
            Stream.of(service.settings(), PopulatorSettings.class)
                .flatMap(mapping -> Setting.of(mapping).stream())
                .map(setting -> Arguments.of(service, setting.variable(), setting.example())));
  }

  static Stream<Arguments> settingsWithAMeaning() {
    // The Job of http-upload has no separate status port.
    return settings()
        .filter(row ->
            !PopulatorService.HTTP_UPLOAD.equals(row.get()[0])
                || !STATUS_PORT.equals(row.get()[1]));
  }

  @ParameterizedTest
  @MethodSource("settingsWithAMeaning")
  void theExampleIsAccepted(PopulatorService service, String variable, String example) {
    Map<String, String> settings =
        variable.equals(STATUS_PORT)
            ? Map.of(variable, example, "POPULATOR_MODE", "job")
            : Map.of(variable, example);
    List<String> said =
        ContainerSettings.mistakes(service, settings, Map.of()).stream()
            .filter(mistake -> mistake.variable().equals(variable))
            .map(Mistake::sentence)
            .toList();
    assertEquals(List.of(), said);
  }

  /// If a setting's name has an additional letter, the message suggests the correct name.
  @ParameterizedTest
  @MethodSource("settings")
  void aSlipInTheNameIsSeen(PopulatorService service, String variable, String example) {
    String slip = variable + "X";
    List<String> said =
        ContainerSettings.mistakes(service, Map.of(slip, example), Map.of()).stream()
            .map(Mistake::sentence)
            .filter(sentence -> sentence.startsWith(slip))
            .toList();
    assertEquals(List.of(slip + ": no such setting; did you mean " + variable + "?"), said);
  }
}

package dev.pvcpopulators.operator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks the text of `--help`.
final class UsageTest {
  @ParameterizedTest
  @MethodSource
  void namesEverySetting(String variable) {
    assertTrue(Usage.TEXT.contains("  " + variable + " "), variable);
  }

  static List<String> namesEverySetting() {
    return Arrays.stream(OperatorSettings.class.getDeclaredMethods())
        .map(Method::getName)
        .map(name -> "OPERATOR_" + name.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT))
        .toList();
  }
}

package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WordsTest {
  @Test
  void takesWords() {
    assertEquals(List.of("sleep", "10"), Words.parse("  sleep  10 ", "\\s+"));
    assertEquals(List.of("A=b c", "D="), Words.parse("A=b c\nD=\n", "\n"));
    assertEquals(List.of(), Words.parse("", "\\s+"));
  }

  @Test
  void takesAJsonListAsItStands() {
    assertEquals(
        List.of("sh", "-c", "echo  'a\nb'", ""),
        Words.parse("[\"sh\", \"-c\", \"echo  'a\\nb'\", \"\"]", "\\s+"));
    assertEquals(List.of(), Words.parse(" []", "\\s+"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "[1]", "[\"a\", null]", "[[\"a\"]]"})
  void refusesAnUnfinishedList(String text) {
    assertThrows(IllegalArgumentException.class, () -> Words.parse(text, "\\s+"));
  }
}

package dev.pvcpopulators.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Runs the fuzz targets with every input of the corpus: the seeds, inputs that reach additional
/// code, and inputs that revealed a defect, which is now fixed.
class CorpusTest {
  private static final Path CORPUS = Path.of("corpus");
  private static final Path CLASSES = Path.of("target", "classes");
  private static final String SUFFIX = "Fuzz";

  @Test
  void eachTargetHasACorpus() throws IOException {
    try (Stream<Path> directories = Files.list(CORPUS)) {
      Set<String> corpora =
          directories.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
      assertEquals(targets().keySet(), corpora);
    }
  }

  @TestFactory
  @Tag("tools")
  Stream<DynamicTest> runs() throws IOException {
    return targets().entrySet().stream()
        .map(target -> dynamicTest(target.getKey(), () -> run(target.getKey(), target.getValue())));
  }

  private static void run(String name, String className) throws Exception {
    Method target = Class.forName(className).getMethod(Replay.ENTRY_POINT, byte[].class);
    List<Path> inputs;
    try (Stream<Path> files = Files.list(CORPUS.resolve(name))) {
      inputs = files.sorted().toList();
    }
    assertFalse(inputs.isEmpty(), name);
    for (Path input : inputs) {
      Replay.run(target, input);
    }
  }

  /// Returns the class names of the fuzz targets. The keys are the names of the targets' corpora.
  private static Map<String, String> targets() throws IOException {
    Map<String, String> targets = new TreeMap<>();
    try (Stream<Path> classes = Files.walk(CLASSES)) {
      classes
          .map(path -> CLASSES.relativize(path).toString())
          .filter(path -> path.endsWith(SUFFIX + ".class"))
          .map(path -> path.substring(0, path.length() - ".class".length()).replace('/', '.'))
          .forEach(name -> {
            String simple = name.substring(name.lastIndexOf('.') + 1);
            targets.put(simple.substring(0, simple.length() - SUFFIX.length()), name);
          });
    }
    return targets;
  }
}

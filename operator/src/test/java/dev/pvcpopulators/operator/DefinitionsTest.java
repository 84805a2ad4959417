package dev.pvcpopulators.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskPopulation;
import io.fabric8.crdv2.generator.CRDGenerator;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The CRDs of kubernetes/base/operator are what the generator makes of the records; with
/// `-Dcrds.write=true` they are written.
final class DefinitionsTest {
  private static final Path COMMITTED = Path.of("../kubernetes/base/operator/crds");

  @TempDir private Path generated;

  @ParameterizedTest
  @ValueSource(strings = {"diskimages", "diskpopulations"})
  void areWhatTheRecordsSay(String plural) throws IOException {
    new CRDGenerator()
        .customResourceClasses(DiskImage.class, DiskPopulation.class)
        .forCRDVersions(List.of("v1"))
        .withMinQuotes(true)
        .inOutputDir(directory())
        .generate();
    String made =
        Files.readString(generated.resolve(plural + ".pvcpopulators.dev-v1.yml"))
            .lines()
            .filter(line -> !line.startsWith("#"))
            .reduce("", (text, line) -> text + line + "\n");
    Path file = COMMITTED.resolve(plural + ".yaml");
    if (Boolean.getBoolean("crds.write")) {
      Files.createDirectories(COMMITTED);
      Files.writeString(file, made);
    }
    assertEquals(Files.readString(file), made, "run with -Dcrds.write=true and look at the change");
  }

  private File directory() {
    return generated.toFile();
  }
}

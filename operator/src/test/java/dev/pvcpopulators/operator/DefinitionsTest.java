package dev.pvcpopulators.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskPopulation;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The CRDs of kubernetes/operator are what the generator makes of the records; with
/// `-Dcrds.write=true` they are written.
final class DefinitionsTest {
  private static final Path COMMITTED = Path.of("../kubernetes/operator/crds");

  private static final List<String> COLUMNS =
      List.of(
          "Registry",
          "URL",
          "Machine",
          "Phase",
          "Progress",
          "Speed",
          "Remaining",
          "Source",
          "Age",
          "Digest",
          "Node",
          "Message");

  @TempDir private Path generated;

  @ParameterizedTest
  @ValueSource(strings = {"diskimages", "diskpopulations"})
  void areWhatTheRecordsSay(String plural) throws IOException {
    new CRDGenerator()
        .customResourceClasses(DiskImage.class, DiskPopulation.class)
        .forCRDVersions(List.of("v1"))
        .withMinQuotes(true)
        .withPostProcessor(new ColumnOrder())
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

  /// The generator sorts columns by their paths; people want the phase first and the age last.
  private static final class ColumnOrder implements CRDPostProcessor {
    @Override
    public HasMetadata process(HasMetadata definition, String version) {
      if (definition instanceof CustomResourceDefinition custom) {
        custom
            .getSpec()
            .getVersions()
            .forEach(one ->
                one.getAdditionalPrinterColumns()
                    .sort(Comparator.comparingInt(column -> COLUMNS.indexOf(column.getName()))));
      }
      return definition;
    }
  }

  private File directory() {
    return generated.toFile();
  }
}

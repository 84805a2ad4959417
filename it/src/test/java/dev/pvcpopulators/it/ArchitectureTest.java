package dev.pvcpopulators.it;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What ARCHITECTURE.md promises of dependencies, checked on the classes of every module.
final class ArchitectureTest {
  private static final String ROOT = "dev.pvcpopulators.";

  /// A library's packages. The contract, `volume`, is none: it speaks HTTP.
  private static final String[] LIBRARIES = {
    ROOT + "diskimage..", ROOT + "registry..", ROOT + "ext4..", ROOT + "iscsitarget.."
  };

  private static final List<String> SERVICES =
      List.of("httpupload", "registrycopy", "registrystreamiscsi", "imagetoqcow2layers");

  /// A path in backticks: it has a slash and no blank, and is neither a URL path nor a pattern.
  private static final Pattern PATH =
      Pattern.compile("`(?!/)([A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*/?)`");

  /// `lib/LIBRARY/target/classes`.
  private static final int DEPTH = 4;

  /// Fuzz targets live in the packages of what they fuzz, and share what feeds them.
  private static final String FUZZ = "it/fuzz/";

  private static JavaClasses all;

  @BeforeAll
  static void read() throws IOException {
    // From the modules' own output: what this test is compiled against may be a part of them.
    try (Stream<Path> modules = Files.walk(Command.root(), DEPTH)) {
      List<Path> outputs =
          modules
              .filter(path -> path.endsWith("target/classes"))
              .filter(Files::isDirectory)
              .filter(path -> !Command.root().relativize(path).startsWith(FUZZ))
              .toList();
      all = new ClassFileImporter().importPaths(outputs);
    }
  }

  /// A reader that is too old for these class files would find nothing, and every rule would hold.
  @Test
  void theClassesAreRead() {
    assertTrue(all.size() > 100, () -> "read " + all.size() + " classes");
    for (String known :
        List.of(
            "diskimage.DiskSink",
            "registry.BlobStore",
            "volume.VolumeLifecycle",
            "httpupload.UploadRoute",
            "registrycopy.Copy",
            "iscsitarget.session.IscsiServer",
            "registrystreamiscsi.StreamPopulator",
            "ext4.LayerEdit",
            "imagetoqcow2layers.LayersPopulator")) {
      JavaClass found = all.get(ROOT + known);
      assertTrue(!found.getMethods().isEmpty(), known);
    }
  }

  @Test
  void librariesKnowNothingOfTheirUse() {
    noClasses()
        .that()
        .resideInAnyPackage(LIBRARIES)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.quarkus..",
            "io.vertx..",
            "io.smallrye..",
            "io.netty..",
            "jakarta..",
            "org.eclipse.microprofile..",
            "java.net.http..",
            "com.sun.net.httpserver..",
            "io.fabric8..",
            "io.kubernetes..",
            ROOT + "volume..")
        .allowEmptyShould(true)
        .check(all);
  }

  /// Manifests are JSON; nothing else that a library reads is.
  @Test
  void onlyTheRegistryReadsJson() {
    noClasses()
        .that()
        .resideInAnyPackage(LIBRARIES)
        .and()
        .resideOutsideOfPackage(ROOT + "registry..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.fasterxml.jackson..")
        .check(all);
  }

  @Test
  void nothingDependsOnAService() {
    for (String service : SERVICES) {
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + service + "..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + service + "..")
          .allowEmptyShould(true)
          .check(all);
    }
  }

  @Test
  void onlyTheRegistryAndTheImagesKnowJib() {
    noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "registry..", ROOT + "images..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.google.cloud.tools.jib..")
        .check(all);
  }

  @Test
  void modulesHaveNoCycles() {
    slices().matching(ROOT + "(*)..").should().beFreeOfCycles().check(all);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + "(**)").should().beFreeOfCycles().check(all);
  }

  @Test
  void classesAreNamedForWhatTheyAre() {
    classes()
        .that()
        .areTopLevelClasses()
        .should()
        .haveNameNotMatching(".*(Manager|Utils?|Helper|Impl)")
        .check(all);
  }

  @Test
  void everyPathThatArchitectureNamesExists() throws IOException {
    Path root = Command.root();
    String text = Files.readString(root.resolve("ARCHITECTURE.md"));
    List<String> paths =
        PATH.matcher(text)
            .results()
            .map(MatchResult::group)
            .map(quoted -> quoted.substring(1, quoted.length() - 1))
            .filter(path -> path.contains("/"))
            .toList();
    assertTrue(!paths.isEmpty(), "ARCHITECTURE.md names no path");
    assertEquals(
        List.of(), paths.stream().filter(path -> !Files.exists(root.resolve(path))).toList());
  }
}

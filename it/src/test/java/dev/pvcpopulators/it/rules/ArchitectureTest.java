package dev.pvcpopulators.it.rules;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Services;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Checks that the classes of the modules follow the dependency rules of ARCHITECTURE.md.
final class ArchitectureTest {
  private static final String ROOT = "dev.pvcpopulators.";

  /// The packages of libraries. The list omits the package `volume` (the contract), because the
  /// contract's client uses `java.net.http`.
  private static final String[] LIBRARIES = {
    ROOT + "linux..",
    ROOT + "diskimage..",
    ROOT + "http..",
    ROOT + "registry..",
    ROOT + "ext4..",
    ROOT + "iscsitarget.."
  };

  private static final List<String> SERVICES =
      Services.names().stream().map(Services::packageOf).toList();

  /// A name or a relative path in backticks. It contains no blank and no wildcard, and does not
  /// begin with a slash.
  private static final Pattern PATH =
      Pattern.compile("`(?!/)([A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*/?)`");

  /// The depth of `lib/LIBRARY/target/classes`.
  private static final int DEPTH = 4;

  /// The module of the fuzz targets. The rules exclude its classes, because each fuzz target is in
  /// the same package as the class that the target tests.
  private static final String FUZZ = "it/fuzz/";

  private static JavaClasses all;

  @BeforeAll
  static void read() throws IOException {
    // Reads `target/classes` of each module, because the class path of this test may lack some
    // modules.
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

  /// If ArchUnit does not support the version of the class files, ArchUnit reads no classes, and
  /// the rules with `allowEmptyShould` pass.
  @Test
  void theClassesAreRead() {
    assertTrue(all.size() > 100, () -> "read " + all.size() + " classes");
    for (String known :
        List.of(
            "linux.NativeFile",
            "diskimage.DiskSink",
            "http.DownloadClient",
            "registry.BlobStore",
            "volume.machine.VolumeMachine",
            "kit.lifecycle.VolumeLifecycle",
            "populate.upload.ImageUpload",
            "iscsitarget.session.IscsiServer",
            "ext4.LayerEdit")) {
      JavaClass found = all.get(ROOT + known);
      assertTrue(!found.getMethods().isEmpty(), known);
    }
    for (String service : SERVICES) {
      JavaClass main = all.get(ROOT + service + ".Main");
      assertTrue(!main.getMethods().isEmpty(), service);
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
            ROOT + "volume..",
            ROOT + "kit..")
        .allowEmptyShould(true)
        .check(all);
  }

  /// A client that uses the contract's classes does not need the code that runs a service.
  @Test
  void theContractNeedsTheJdkAndJacksonOnly() {
    classes()
        .that()
        .resideInAPackage(ROOT + "volume..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            ROOT + "volume..",
            "java..",
            "javax.net.ssl..",
            "javax.security.auth.x500..",
            "com.fasterxml.jackson..",
            "org.jspecify..")
        .check(all);
  }

  @Test
  void theKitKnowsNoService() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "kit..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            SERVICES.stream().map(service -> ROOT + service + "..").toArray(String[]::new))
        .check(all);
  }

  /// `lib/http` and `lib/registry` are optional dependencies of the kit. http-upload uses neither
  /// library.
  @Test
  void onlySourcesOfTheKitNeedDownloads() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "kit..")
        .and()
        .resideOutsideOfPackage(ROOT + "kit.source..")
        .and()
        .doNotHaveFullyQualifiedName(ROOT + "kit.disk.SourceFailures")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ROOT + "http..", ROOT + "registry..")
        .check(all);
  }

  /// Of the libraries, only `lib/registry` reads JSON, for example manifests.
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

  /// Services and the kit download only through `lib/http` and `lib/registry`.
  @Test
  void onlyTwoLibrariesKnowTheHttpClient() {
    noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "http..", ROOT + "registry..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.http..")
        .check(all);
  }

  @Test
  void theHttpLibraryKnowsNoOtherRoom() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "http..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.pvcpopulators..").and(resideOutsideOfPackage(ROOT + "http..")))
        .check(all);
  }

  /// System calls are in `lib/linux`. This library depends on no other module of this project.
  @Test
  void theLinuxLibraryNeedsTheJdkOnly() {
    classes()
        .that()
        .resideInAPackage(ROOT + "linux..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(ROOT + "linux..", "java..", "org.jspecify..")
        .check(all);
  }

  /// Besides `lib/linux`, only the codecs of `lib/disk-image/` call native code.
  @Test
  void onlyTwoPackagesCallNativeFunctions() {
    noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "linux..", ROOT + "diskimage.compression..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Linker")
        .check(all);
  }

  /// Users download kubectl-populate. To keep the download small, kubectl-populate uses no code of
  /// the operator except `operator.api`.
  @Test
  void kubectlPopulateKnowsOnlyTheKindsOfTheOperator() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "populate..")
        .should()
        .dependOnClassesThat(
            resideInAPackage(ROOT + "operator..")
                .and(resideOutsideOfPackage(ROOT + "operator.api.."))
                .or(resideInAPackage(ROOT + "kit.."))
                .or(resideInAPackage("io.quarkus..")))
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
  void classNamesMatchTheirKind() {
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

package dev.pvcpopulators.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kubernetes.check.Checks;
import dev.pvcpopulators.kubernetes.manifest.Project;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/// Tests the checks of manifests. Manifests without a fault pass all checks. The checks report each
/// single fault of `faults.txt`.
@Tag("tools")
class FaultsTest {
  private static final List<String> FIXTURES = List.of("upload", "copy", "iscsi");
  private static final int COLUMNS = 4;

  private static final String README =
      """
      $ kubectl create secret generic populator-tls --type=kubernetes.io/tls \\
          --from-file=tls.crt --from-file=tls.key
      $ kubectl create secret generic registry-stream-iscsi-token --from-literal=token=secret
      $ kubectl create secret generic iscsi-chap --from-literal=node.session.auth.username=vm \\
          --from-literal=node.session.auth.password=0123456789ab \\
          --from-literal=discovery.sendtargets.auth.username=vm \\
          --from-literal=discovery.sendtargets.auth.password=0123456789ab
      """;

  /// A change that puts a fault into a fixture.
  ///
  /// @param fixture the name of the fixture
  /// @param there the text to replace, which occurs once
  /// @param instead the replacement
  /// @param said the text that a reported fault must contain
  private record Fault(String fixture, String there, String instead, String said) {}

  @TestFactory
  Stream<DynamicNode> nothingIsSaidOfWhatIsSound() {
    return FIXTURES.stream()
        .map(name ->
            DynamicTest.dynamicTest(
                name, () -> assertEquals(List.of(), Checks.faults(name, fixture(name), README))));
  }

  @TestFactory
  Stream<DynamicNode> eachFaultIsNamed() throws IOException {
    return faults().stream()
        .map(fault ->
            DynamicTest.dynamicTest(
                fault.fixture() + ": " + fault.said(), () -> expectNamed(fault)));
  }

  private static void expectNamed(Fault fault) throws IOException {
    String sound = fixture(fault.fixture());
    int first = sound.indexOf(fault.there());
    assertTrue(
        first >= 0 && first == sound.lastIndexOf(fault.there()),
        () -> "once in " + fault.fixture() + ": " + fault.there());
    String broken = sound.replace(fault.there(), fault.instead());
    List<String> said = Checks.faults(fault.fixture(), broken, README);
    assertTrue(said.stream().anyMatch(one -> one.contains(fault.said())), said::toString);
  }

  private static List<Fault> faults() throws IOException {
    return read("faults.txt")
        .replace("VERSION", Project.VERSION)
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(line -> line.replace("\\n", "\n").split(" \\| ", -1))
        .map(FaultsTest::fault)
        .toList();
  }

  private static Fault fault(String[] columns) {
    assertEquals(COLUMNS, columns.length, () -> String.join(" | ", columns));
    return new Fault(columns[0], columns[1], columns[2], columns[3]);
  }

  private static String fixture(String name) throws IOException {
    return read("sound-" + name + ".yaml").replace("VERSION", Project.VERSION);
  }

  private static String read(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(FaultsTest.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}

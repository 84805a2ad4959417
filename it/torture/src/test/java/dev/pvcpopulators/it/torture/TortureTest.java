package dev.pvcpopulators.it.torture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.outcome.DocumentedFailures;
import dev.pvcpopulators.it.torture.subject.Round;
import dev.pvcpopulators.it.torture.subject.Subject;
import dev.pvcpopulators.it.torture.subject.Subjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// Plays a few rounds with constant seeds. `make torture` plays random rounds.
@Tag("tools")
final class TortureTest {
  private static final long SEED = 8;

  /// The faults for each subject. Each subject has few faults, because rounds are slow: each round
  /// of a Job starts two processes.
  private static final Map<String, Set<String>> FEW =
      Map.of(
          "http-upload", Set.of("KILL", "RESET", "SLOW_PEER"),
          "http-upload-job", Set.of("RESET"),
          "http-copy", Set.of("RESET"),
          "http-copy-job", Set.of("TERMINATE"),
          "registry-copy", Set.of("RESET", "SLOW_PEER"),
          "registry-copy-job", Set.of("TERMINATE"),
          "registry-stream-iscsi", Set.of("KILL"),
          "image-to-qcow2-layers", Set.of("RESET"),
          "image-to-qcow2-layers-job", Set.of("RESET"));

  /// The seed of a round in which the flush of the directory fails after the rename of the disk.
  private static final long NAME_NOT_FLUSHED = 0xf4d1a22da6f7f111L;

  /// The seed of a round in which the clock is set back by years while a Job applies layers.
  private static final long SET_BACK = 0x9138eb576840e323L;

  /// The seed of a round in which the file system becomes read-only when the Job has received 60 %
  /// of the bytes. The Job nevertheless receives the remaining bytes.
  private static final long DAMAGED = 0xcc52d4735f25b52cL;

  @TempDir private static Path work;
  private static Subjects subjects;
  private static Engine engine;
  private static Report report;

  @BeforeAll
  static void make() throws IOException, InterruptedException {
    subjects = Subjects.in(work, "");
    engine = new Engine(DocumentedFailures.read());
    report = new Report(System.out, Optional.of(work.resolve("report")));
  }

  @AfterAll
  static void end() throws IOException {
    engine.close();
    subjects.close();
  }

  @TestFactory
  @Tag("nightly")
  Stream<DynamicTest> afterEachFaultTheDiskIsAbsentOrCompleteAndCanBeMade() {
    SplittableRandom seeds = new SplittableRandom(SEED);
    return subjects.all().stream()
        .flatMap(subject ->
            few(subject)
                .map(fault -> Round.of(seeds.nextLong(), 1, List.of(subject), fault::equals)))
        .map(round ->
            DynamicTest.dynamicTest(
                String.join(" ", round.subject().name(), round.fault().name(), round.hex()),
                () -> play(round)));
  }

  @Test
  void removesADiskWhoseRenameWasNotFlushed() throws IOException, InterruptedException {
    play(NAME_NOT_FLUSHED, "http-upload", "SYNC_ERROR");
  }

  @Test
  void aClockThatIsSetBackIsHarmless() throws IOException, InterruptedException {
    play(SET_BACK, "image-to-qcow2-layers-job", "CLOCK_JUMP");
  }

  @Test
  void aVolumeThatTurnsReadOnlyIsAStorageFailure() throws IOException, InterruptedException {
    play(DAMAGED, "image-to-qcow2-layers-job", "READ_ONLY_DISK");
  }

  private static void play(long seed, String subject, String fault)
      throws IOException, InterruptedException {
    List<Subject> named =
        subjects.all().stream().filter(each -> each.name().equals(subject)).toList();
    play(Round.of(seed, 1, named, each -> each.name().equals(fault)));
  }

  private static Stream<Fault> few(Subject subject) {
    Set<String> names = FEW.getOrDefault(subject.name(), Set.of());
    List<Fault> few =
        subject.faults().stream().filter(fault -> names.contains(fault.name())).distinct().toList();
    assertEquals(names.size(), few.size(), "faults of " + subject.name());
    assertNotEquals(0, few.size(), subject.name());
    return few.stream();
  }

  private static void play(Round round) throws IOException, InterruptedException {
    long lines = lines();
    try {
      report.add(engine.play(round));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + engine.log(round.subject()), e);
    }
    assertEquals(lines + 1, lines(), "a line a round in the report");
  }

  private static long lines() throws IOException {
    return Files.readAllLines(work.resolve("report")).size();
  }
}

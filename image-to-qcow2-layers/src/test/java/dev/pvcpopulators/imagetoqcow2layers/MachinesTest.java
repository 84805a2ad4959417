package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.imagetoqcow2layers.machine.Machines;
import dev.pvcpopulators.imagetoqcow2layers.machine.MadeImage;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MachinesTest {
  private static final String LAYER = "0".repeat(64) + "-v2-10240m.qcow2";
  private static final MadeImage FIRST =
      new MadeImage("docker://host/image", "sha256:1", "size=1", "kernel=1", List.of(LAYER));
  private static final MadeImage SECOND =
      new MadeImage("docker://host/image", "sha256:2", "size=1", "kernel=1", List.of(LAYER));

  @TempDir Path directory;
  private Machines machines;

  @BeforeEach
  void open() {
    machines = new Machines(directory.resolve("images"));
  }

  private void make(MadeImage image) throws Exception {
    machines.make(
        "vm",
        (_, home) -> {
          Files.writeString(home.resolve("disk.qcow2"), image.digest());
          return Optional.of(image);
        });
  }

  private String disk() throws IOException {
    return Files.readString(machines.home("vm").resolve("disk.qcow2"));
  }

  private Set<String> visible() throws IOException {
    try (Stream<Path> entries = Files.list(machines.path())) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> !name.startsWith(".lock-"))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void keepsTheRecordOfAMachine() throws Exception {
    assertEquals(Optional.empty(), machines.find("vm"));
    make(FIRST);
    assertEquals(Optional.of(FIRST), machines.find("vm"));
    assertEquals(Set.of("vm"), machines.all().keySet());
    assertEquals(Set.of("vm"), visible());
  }

  @Test
  void replacesAMachineAtomically() throws Exception {
    make(FIRST);
    make(SECOND);
    assertEquals(Optional.of(SECOND), machines.find("vm"));
    assertEquals("sha256:2", disk());
    assertEquals(Set.of("vm"), visible());
  }

  @Test
  void leavesTheOldOneWhereTheNewOneFails() throws Exception {
    make(FIRST);
    assertThrows(
        IOException.class,
        () ->
            machines.make(
                "vm",
                (_, home) -> {
                  Files.writeString(home.resolve("disk.qcow2"), "half");
                  throw new IOException("cut");
                }));
    assertEquals("sha256:1", disk());
    assertEquals(Set.of("vm"), visible());
  }

  @Test
  void theSecondOwnerWaitsForTheFirst() throws Exception {
    CountDownLatch making = new CountDownLatch(1);
    AtomicReference<Optional<MadeImage>> seen = new AtomicReference<>(Optional.empty());
    Thread second =
        Thread.ofVirtual()
            .unstarted(() -> {
              try {
                making.await();
                machines.make(
                    "vm",
                    (present, _) -> {
                      seen.set(present);
                      return Optional.empty();
                    });
              } catch (IOException | VolumeException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    second.start();
    machines.make(
        "vm",
        (_, home) -> {
          making.countDown();
          // The running call of `make` holds the machine's lock, so the directory `home` of the
          // machine is not a leftover.
          machines.removeLeftovers();
          assertTrue(Files.isDirectory(home));
          return Optional.of(FIRST);
        });
    second.join();
    assertEquals(Optional.of(FIRST), seen.get());
    assertEquals(Optional.of(FIRST), machines.find("vm"));
    assertEquals(Set.of("vm"), visible());
  }

  @Test
  void collectingGivesAMachineItsNameBackFirst() throws Exception {
    make(FIRST);
    Files.move(machines.home("vm"), machines.path().resolve(".old-vm"));
    Path layer = Files.createDirectories(directory.resolve("layers")).resolve(LAYER);
    Files.writeString(layer, "a layer");
    assertTrue(Cleanup.run(new StoreLayout(directory)).isPresent());
    assertEquals(Optional.of(FIRST), machines.find("vm"));
    assertTrue(Files.exists(layer));
    machines.remove("vm");
    assertTrue(Cleanup.run(new StoreLayout(directory)).isPresent());
    assertFalse(Files.exists(layer));
  }

  @Test
  void removesLeftoversOfACrash() throws Exception {
    make(FIRST);
    Files.createDirectories(machines.path().resolve(".making-other/sub"));
    Files.createDirectories(machines.path().resolve(".making-vm"));
    machines.removeLeftovers();
    assertEquals(Set.of("vm"), visible());
    assertEquals("sha256:1", disk());
  }

  @Test
  void restoresAMachinesNameAfterACrash() throws Exception {
    make(FIRST);
    Files.move(machines.home("vm"), machines.path().resolve(".old-vm"));
    Files.createDirectories(machines.path().resolve(".making-vm"));
    machines.removeLeftovers();
    assertEquals("sha256:1", disk());
    assertEquals(Set.of("vm"), visible());
  }

  @Test
  void aRemovedMachineDoesNotReturnAfterAnInterruptedReplacement() throws Exception {
    make(FIRST);
    Files.move(machines.home("vm"), machines.path().resolve(".old-vm"));
    machines.remove("vm");
    assertEquals(Set.of(), visible());
    make(FIRST);
    Files.move(machines.home("vm"), directory.resolve("kept"));
    make(SECOND);
    Files.move(directory.resolve("kept"), machines.path().resolve(".old-vm"));
    machines.remove("vm");
    machines.removeLeftovers();
    assertEquals(Set.of(), visible());
  }

  @Test
  void removesOnlyWhatItMade() throws Exception {
    machines.remove("vm");
    make(FIRST);
    machines.remove("vm");
    assertEquals(Set.of(), visible());
    Files.createDirectories(machines.home("vm"));
    assertThrows(IOException.class, () -> machines.remove("vm"));
    assertTrue(Files.isDirectory(machines.home("vm")));
  }

  @Test
  void refusesARecordThatIsNone() throws Exception {
    make(FIRST);
    for (String text : List.of("", "{}", "[]", "{\"digest\":\"x\"}")) {
      Files.writeString(machines.home("vm").resolve(MadeImage.FILE), text);
      assertThrows(IOException.class, () -> machines.find("vm"), text);
    }
    assertFalse(Files.exists(directory.resolve("x")));
  }
}

package dev.pvcpopulators.diskimage.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.volume.MountedFileSystem;
import dev.pvcpopulators.it.Command;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("tools")
@Timeout(1200)
class ArchiveImportTest {
  private static final String STAGING = ".archive.populating-0123456789abcdef";

  @TempDir Path home;
  Path volume = Path.of("");
  byte[] archive = {};

  @BeforeEach
  void makeArchive() throws IOException {
    volume = Files.createDirectory(home.resolve("volume"));
    Path tree = Files.createDirectory(home.resolve("tree"));
    Files.writeString(tree.resolve("a"), "new a");
    Files.createDirectory(tree.resolve("b"));
    Files.writeString(tree.resolve("b/c"), "new c");
    archive = Command.of("tar", "-c", "-z", "a", "b").bytesIn(tree);
  }

  private Set<String> names() throws IOException {
    try (Stream<Path> names = Files.list(volume)) {
      return new TreeSet<>(names.map(path -> path.getFileName().toString()).toList());
    }
  }

  private String content(String name) throws IOException {
    return Files.readString(volume.resolve(name));
  }

  private List<String> run(byte[] source, boolean overwrite) throws IOException {
    return ArchiveImport.run(new ByteArrayInputStream(source), volume, overwrite, () -> {});
  }

  @Test
  void unpacksACompressedArchive() throws IOException {
    assertEquals(Set.of("a", "b"), Set.copyOf(run(archive, false)));
    assertEquals(Set.of("a", "b"), names());
    assertEquals("new c", content("b/c"));
  }

  /// The import refuses entries with its own temporary names, because the next start of a service
  /// would remove these entries as leftovers of a crash.
  @ParameterizedTest
  @ValueSource(
      strings = {
        ".disk.img.populating-0123456789abcdef",
        ".archive.populating-0123456789abcdef/a",
        "./.archive.populating-0123456789abcdef.replaced/a"
      })
  void refusesNamesThatTheNextStartRemoves(String name) throws IOException {
    Path tree = home.resolve("tree");
    Files.createDirectories(tree.resolve(name).getParent());
    Files.writeString(tree.resolve(name), "kept?");
    byte[] tar = Command.of("tar", "-c", "a", name).bytesIn(tree);
    MalformedImageException refusal =
        assertThrows(MalformedImageException.class, () -> run(tar, false));
    assertTrue(refusal.toString().contains("reserved"), refusal.toString());
    assertEquals(Set.of(), names());
    Files.createDirectories(tree.resolve("b/" + name).getParent());
    Files.writeString(tree.resolve("b/" + name), "below the top it means nothing");
    run(Command.of("tar", "-c", "b").bytesIn(tree), false);
    assertEquals(Set.of("b"), names());
  }

  @Test
  void publishesNothingWithAWrongDigest() throws IOException {
    IOException reason = new IOException("differs");
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                ArchiveImport.run(
                    new ByteArrayInputStream(archive),
                    volume,
                    false,
                    () -> {
                      throw reason;
                    }));
    assertEquals(reason, thrown);
    assertEquals(Set.of(), names());
  }

  @Test
  void refusesTruncatedArchives() throws IOException {
    assertThrows(UnsupportedFeatureException.class, () -> run(new byte[0], false));
    assertThrows(UnsupportedFeatureException.class, () -> run(new byte[100_000], false));
    byte[] cut = Arrays.copyOf(archive, archive.length - 4);
    assertThrows(MalformedImageException.class, () -> run(cut, false));
    assertEquals(Set.of(), names());
  }

  @Test
  void replacesOnlyWhereThatIsAllowed() throws IOException {
    Files.writeString(volume.resolve("a"), "old a");
    assertThrows(FileAlreadyExistsException.class, () -> run(archive, false));
    assertEquals(Set.of("a"), names());
    assertEquals("old a", content("a"));
    run(archive, true);
    assertEquals(Set.of("a", "b"), names());
    assertEquals("new a", content("a"));
  }

  /// If the import cannot delete all replaced entries, some of these entries are still in the
  /// volume when the next start of the service removes leftovers.
  @Test
  void keepsTheNewEntriesIfTheReplacedOnesCannotBeDeleted() throws IOException {
    Path busy = Files.createDirectories(volume.resolve("b/mnt"));
    Files.writeString(volume.resolve("b/c"), "old c");
    Files.writeString(volume.resolve("b/d"), "old d");
    Command.run("mount", "-t", "tmpfs", "test", busy);
    try {
      assertThrows(IOException.class, () -> run(archive, true));
    } finally {
      unmount();
    }
    ArchiveImport.removeLeftovers(volume);
    assertEquals(Set.of("a", "b"), names());
    assertEquals("new a", content("a"));
    assertEquals("new c", content("b/c"));
    assertFalse(Files.exists(volume.resolve("b/d")));
    assertFalse(Files.exists(volume.resolve("b/mnt")));
  }

  /// Unmounts all file systems in the volume. A mount point may have moved together with its
  /// directory.
  private void unmount() throws IOException {
    String below = volume.toRealPath() + "/";
    for (String mount : Files.readAllLines(Path.of("/proc/self/mounts"))) {
      String mountPoint = mount.split(" ", -1)[1];
      if (mountPoint.startsWith(below)) {
        MountedFileSystem.unmount(Path.of(mountPoint));
      }
    }
  }

  @Test
  void publishesAtomicallyIfInterrupted() throws IOException {
    // The interrupt arrives during the verification, as a late cancellation does.
    ArchiveImport.run(
        new ByteArrayInputStream(archive), volume, false, () -> Thread.currentThread().interrupt());
    assertEquals(true, Thread.interrupted(), "the interrupt is the caller's to see");
    assertEquals(Set.of("a", "b"), names());
  }

  @Test
  void removesOnlyItsOwnLeftovers() throws IOException {
    Files.createDirectories(volume.resolve(STAGING + "/x/y"));
    Files.writeString(volume.resolve(STAGING + "/x/y/z"), "half");
    Files.createDirectory(volume.resolve(".archive.populating-mine"));
    Files.writeString(volume.resolve(".archive.populating-fedcba9876543210"), "a file");
    Files.writeString(volume.resolve("a"), "old a");
    ArchiveImport.removeLeftovers(volume);
    assertEquals(
        Set.of("a", ".archive.populating-mine", ".archive.populating-fedcba9876543210"), names());
  }

  @Test
  void restoresTheReplacedEntries() throws IOException {
    Files.createDirectory(volume.resolve(STAGING));
    Files.createDirectory(volume.resolve(STAGING + ".replaced"));
    Files.writeString(volume.resolve(STAGING + ".replaced/a"), "old a");
    Files.writeString(volume.resolve("a"), "new a");
    ArchiveImport.removeLeftovers(volume);
    assertEquals(Set.of("a"), names());
    assertEquals("old a", content("a"));
  }
}

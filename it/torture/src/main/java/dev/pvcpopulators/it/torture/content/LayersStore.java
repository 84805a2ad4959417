package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// A volume with layers and two machines. One machine exists before the job; the job makes the
/// other machine. Both machines share the lowest layer.
public final class LayersStore implements VolumeContent {
  private static final String NOTHING = "nothing";

  /// The prefix of the file name of a layer's record. The record is a file beside the layer. The
  /// record states the identity of the layer's file, and the blobs that contain the layer.
  private static final String RECORD = ".record-";

  private final LayersVolume volume;
  private final Machine before;
  private final Machine expected;
  private final String registry;
  private final Map<String, String> identities = new TreeMap<>();

  /// A machine that a job made without a fault.
  ///
  /// @param reference a volume that contains the machine; qemu-img has checked this volume
  /// @param layers the file names of the layers below the machine's disk
  public record Machine(LayersVolume reference, String name, Set<String> layers) {
    public Machine {
      layers = Set.copyOf(layers);
    }

    public static Machine in(LayersVolume reference, String name)
        throws IOException, InterruptedException {
      Set<String> layers = new TreeSet<>();
      for (Path layer : reference.chain(name)) {
        layers.add(layer.getFileName().toString());
      }
      return new Machine(reference, name, layers);
    }

    /// Returns the paths of the machine's files and layers, relative to the volume.
    Set<String> files() throws IOException {
      Set<String> files = new TreeSet<>(LayersStore.files(reference.image(name)));
      Set<String> all = new TreeSet<>();
      files.forEach(file -> all.add("images/" + name + "/" + file));
      layers.forEach(layer -> all.add("layers/" + layer));
      return all;
    }
  }

  /// Defines the content; [#furnish] writes the files.
  ///
  /// @param before the machine that exists before the job
  /// @param expected the machine that the job has to make
  /// @param registry the address of the round's registry; the records of the existing layers name
  ///   this registry
  public LayersStore(Path path, Machine before, Machine expected, String registry) {
    this.volume = new LayersVolume(path);
    this.before = before;
    this.expected = expected;
    this.registry = registry;
  }

  @Override
  public Path path() {
    return volume.path();
  }

  @Override
  public boolean hasOlder() {
    return false;
  }

  @Override
  public void furnish() throws IOException {
    BrokenInvariant.unless("the volume before a round", Set.of(), files(path()));
    for (String file : before.files()) {
      Path target = path().resolve(file);
      Files.createDirectories(target.resolveSibling(""));
      Files.copy(before.reference().path().resolve(file), target);
      identities.put(file, identity(target));
    }
    for (String layer : before.layers()) {
      record(layer);
    }
  }

  /// Writes the record of a layer in the service's format. The original record is not valid for the
  /// copy of the layer, because the copy has another file identity.
  private void record(String layer) throws IOException {
    String name = RECORD + layer;
    List<String> made = Files.readAllLines(before.reference().layersDirectory().resolve(name));
    Map<String, Object> file =
        Files.readAttributes(
            volume.layersDirectory().resolve(layer), "unix:ino,size,lastModifiedTime,ctime");
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s %s %s %s"
            .formatted(
                file.get("ino"),
                file.get("size"),
                time(file, "lastModifiedTime"),
                time(file, "ctime")));
    for (String proof : made.subList(1, made.size())) {
      lines.add(proof.substring(0, proof.indexOf(' ') + 1) + registry);
    }
    Files.write(volume.layersDirectory().resolve(name), lines);
  }

  // Uses Instant, as the service does. FileTime#toString drops trailing zeros that Instant#toString
  // keeps.
  private static Instant time(Map<String, Object> file, String name) {
    return ((FileTime) Objects.requireNonNull(file.get(name), name)).toInstant();
  }

  private static String identity(Path file) throws IOException {
    return Files.readAttributes(file, "unix:ino,size,lastModifiedTime").toString();
  }

  @Override
  public VolumeState found() throws IOException, InterruptedException {
    checkBefore();
    for (Path layer : volume.layers()) {
      checkSame("layers/" + layer.getFileName());
    }
    if (Files.notExists(volume.image(expected.name()))) {
      return VolumeState.ABSENT;
    }
    for (String file : expected.files()) {
      checkSame(file);
    }
    volume.assertSound();
    return VolumeState.COMPLETE;
  }

  /// Fails if a file or a layer of the earlier machine has changed.
  private void checkBefore() throws IOException {
    for (Map.Entry<String, String> file : identities.entrySet()) {
      Path there = path().resolve(file.getKey());
      String now = Files.exists(there) ? identity(there) : NOTHING;
      BrokenInvariant.unless("identity of the earlier file " + file.getKey(), file.getValue(), now);
      checkSame(file.getKey());
    }
  }

  /// Fails if a file is missing, or differs from the same file in the reference volume of the
  /// expected machine. qemu-img has checked the reference volume.
  private void checkSame(String file) throws IOException {
    Path reference = expected.reference().path().resolve(file);
    Path there = path().resolve(file);
    if (Files.notExists(reference) || Files.notExists(there)) {
      throw new BrokenInvariant(
          file,
          "in the volume and in the reference",
          Files.exists(there) ? "only in the volume" : NOTHING);
    }
    if (file.endsWith(".json")) {
      return; // This file contains the registry's address, which differs in the reference.
    }
    long difference = Files.mismatch(reference, there);
    if (difference >= 0) {
      throw new BrokenInvariant(
          file, "the bytes of the reference", "other bytes at offset " + difference);
    }
  }

  @Override
  public void checkComplete() throws IOException, InterruptedException {
    BrokenInvariant.unless("the machine", VolumeState.COMPLETE, found());
    Set<String> files = before.files();
    files.addAll(expected.files());
    BrokenInvariant.unless("the volume's files", files, files(path()));
  }

  @Override
  public void delete() throws IOException {
    Command.run("rm", "-r", volume.image(expected.name()));
    for (String layer : expected.layers()) {
      if (!before.layers().contains(layer)) {
        Files.delete(volume.layersDirectory().resolve(layer));
      }
    }
  }

  @Override
  public void checkClear() throws IOException {
    checkBefore();
    BrokenInvariant.unless("files left in the volume", before.files(), files(path()));
    for (String file : before.files()) {
      Files.delete(path().resolve(file));
    }
    Command.run("find", path().toString(), "-name", RECORD + "*", "-delete");
    Command.run("find", path().toString(), "-mindepth", "1", "-type", "d", "-empty", "-delete");
  }

  /// Returns the relative paths of the files below a directory. Omits records of layers, lists of
  /// used layers, and empty lock files.
  private static Set<String> files(Path directory) throws IOException {
    List<Path> paths = new ArrayList<>();
    try (Stream<Path> walk = Files.walk(directory)) {
      walk.filter(path -> !Files.isDirectory(path)).forEach(paths::add);
    }
    Set<String> names = new TreeSet<>();
    for (Path path : paths) {
      String name = path.getFileName().toString();
      boolean lock = name.startsWith(".lock-") || name.endsWith(".lock");
      // A job may leave its list of used layers. The list has no effect after the job, and the next
      // process that reads the list removes it.
      boolean use = name.startsWith(".use-");
      boolean record = name.startsWith(RECORD);
      if (!use && !record && (!lock || Files.size(path) > 0)) {
        names.add(directory.relativize(path).toString());
      }
    }
    return names;
  }
}

package dev.pvcpopulators.ext4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.ext4.structure.FileType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Applies random layers to a disk and to a model. After each layer, the test compares the model
/// with the tree that the kernel reads.
@Tag("tools")
class RandomLayersTest {
  private static final int LAYERS = 6;
  private static final int ENTRIES = 60;

  /// The kinds of entries (see `step`). A kind that occurs more often in this array is chosen more
  /// often.
  private static final int[] KINDS = {0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 5, 5, 6, 6, 7};

  private static final List<String> NAMES =
      List.of("a", "b", "c", "d", "ein-längerer-name", "x".repeat(255));
  private static final List<String> TARGETS =
      List.of("a", "b/c", "../a", "/b", "/", ".", "../../c", "./d/", "/a/b/" + "./".repeat(40));

  /// A script that prints one line for each entry, in the form of [ModelTree#describe].
  private static final String DESCRIBE =
      """
      find . -mindepth 1 -printf '%P %y %m %n \\0' | while IFS= read -r -d '' line; do
        path="${line%% ? * * }"
        case "$line" in
          *' f '[0-9]*' '[0-9]*' ') printf '%s%s\\n' "$line" "$(head -c 12 "$path")" ;;
          *' l '[0-9]*' '[0-9]*' ') printf '%s%s\\n' "$line" "$(readlink "$path")" ;;
          *) printf '%s\\n' "$line" ;;
        esac
      done
      """;

  @TempDir Path home;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void engineAgreesWithThePlainModel(long seed) throws IOException {
    Random random = new Random(seed);
    ModelTree model = new ModelTree();
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 16L << 20)) {
      for (int i = 0; i < LAYERS; i++) {
        model.begin();
        List<String> log = new ArrayList<>();
        Layer.applyUnchecked(
            disk,
            layer -> {
              for (int j = 0; j < ENTRIES; j++) {
                step(layer, model, random, log);
              }
            });
        String context = "seed " + seed + ", layer " + i + ": " + String.join("\n", log);
        try {
          disk.check();
        } catch (AssertionError e) {
          throw new AssertionError(context, e);
        }
        List<String> found = new ArrayList<>(disk.mounted(DESCRIBE).lines().toList());
        found.sort(null);
        assertEquals(String.join("\n", model.describe()), String.join("\n", found), context);
      }
    }
    Files.delete(home.resolve("disk"));
  }

  private static String pick(Random random, List<String> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static void step(Layer layer, ModelTree model, Random random, List<String> log)
      throws IOException {
    List<String> names = new ArrayList<>();
    int depth = 1 + random.nextInt(4);
    for (int i = 0; i < depth; i++) {
      names.add(pick(random, NAMES));
    }
    String path = String.join("/", names);
    List<String> way = names.subList(0, depth - 1);
    String last = names.getLast();
    int kind = KINDS[random.nextInt(KINDS.length)];
    if (kind == 6) {
      log.add("whiteout " + path);
      layer.whiteout(path);
      model.directory(way, false).ifPresent(directory -> hide(directory, last));
      return;
    }
    if (kind == 7) {
      log.add("opaque " + path);
      layer.opaque(path);
      model.directory(names, false).ifPresent(ModelTree::hide);
      return;
    }
    if (!model.reachable(way)) {
      return;
    }
    switch (kind) {
      case 0, 1 -> {
        String content = Integer.toString(random.nextInt(1_000_000));
        log.add("file " + path);
        layer.file(path, content);
        put(model, way, last, new ModelTree.Node(FileType.REGULAR, 0644, content));
      }
      case 2 -> {
        log.add("directory " + path);
        layer.directory(path);
        ModelTree.Node parent = model.directory(way, true).orElseThrow();
        ModelTree.Entry there = parent.entries.get(last);
        if (there == null || there.node.type != FileType.DIRECTORY) {
          put(model, way, last, new ModelTree.Node(FileType.DIRECTORY, 0755, ""));
        } else {
          there.brought = true;
        }
      }
      case 3 -> {
        String target = pick(random, TARGETS);
        log.add("link " + path + " -> " + target);
        layer.link(path, target);
        put(model, way, last, new ModelTree.Node(FileType.SYMBOLIC_LINK, 0777, target));
      }
      case 4 -> {
        log.add("fifo " + path);
        layer.special(path, FileType.FIFO, 0, 0);
        put(model, way, last, new ModelTree.Node(FileType.FIFO, 0644, ""));
      }
      default -> hardLink(layer, model, random, way, path, log);
    }
  }

  private static void hide(ModelTree.Node directory, String name) {
    ModelTree.Entry entry = directory.entries.get(name);
    if (entry != null) {
      boolean below = ModelTree.hide(entry.node);
      if (!entry.brought && !below) {
        directory.entries.remove(name);
      }
    }
  }

  private static void put(ModelTree model, List<String> way, String last, ModelTree.Node node) {
    model.directory(way, true).orElseThrow().entries.put(last, new ModelTree.Entry(node));
  }

  private static void hardLink(
      Layer layer, ModelTree model, Random random, List<String> way, String path, List<String> log)
      throws IOException {
    List<String> target = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      target.add(pick(random, NAMES));
    }
    ModelTree.Node parent = model.directory(way, true).orElseThrow();
    // The model has created the directories of the path. The marker file creates these directories
    // on the disk.
    String marker = path.substring(0, path.lastIndexOf('/') + 1) + "marker";
    layer.file(marker, "");
    parent.entries.put(
        "marker", new ModelTree.Entry(new ModelTree.Node(FileType.REGULAR, 0644, "")));
    Optional<ModelTree.Node> directory =
        model.directory(target.subList(0, target.size() - 1), false);
    ModelTree.Entry from = directory.map(d -> d.entries.get(target.getLast())).orElse(null);
    if (from == null || from.node.type == FileType.DIRECTORY) {
      return;
    }
    log.add("hard link " + path + " = " + target);
    layer.hardLink(path, String.join("/", target));
    String last = path.substring(path.lastIndexOf('/') + 1);
    parent.entries.put(last, new ModelTree.Entry(from.node));
  }
}

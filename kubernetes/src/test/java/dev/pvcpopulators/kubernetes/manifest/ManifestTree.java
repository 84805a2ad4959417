package dev.pvcpopulators.kubernetes.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The directories of manifests. This class searches the file system for these directories, so the
/// tests also check new directories.
///
/// @param overlays directories with a Kustomization, for `kubectl apply -k`
/// @param components directories with a Component, for use in other directories
/// @param strays YAML files that no kustomization names
/// @param unused components that no overlay names, directly or indirectly
public record ManifestTree(
    List<Path> overlays, List<Path> components, List<Path> strays, List<Path> unused) {
  private static final String FILE = "kustomization.yaml";
  private static final List<String> ROOMS = List.of("base", "components", "examples");

  /// A kustomization and the existing files and directories that it names.
  private record Node(Path directory, boolean component, Set<Path> named) {}

  public ManifestTree {
    overlays = List.copyOf(overlays);
    components = List.copyOf(components);
    strays = List.copyOf(strays);
    unused = List.copyOf(unused);
  }

  /// Reads the tree below a directory.
  ///
  /// @throws MalformedManifestException if a kustomization is not YAML or has an unknown kind
  public static ManifestTree of(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String room : ROOMS) {
      try (Stream<Path> walk = Files.walk(root.resolve(room))) {
        walk.filter(Files::isRegularFile).filter(ManifestTree::yaml).sorted().forEach(files::add);
      }
    }
    List<Node> nodes = new ArrayList<>();
    for (Path file : files) {
      if (name(file).equals(FILE)) {
        nodes.add(node(file));
      }
    }
    Set<Path> named = new HashSet<>();
    nodes.forEach(node -> named.addAll(node.named()));
    List<Path> strays =
        files.stream().filter(file -> !name(file).equals(FILE) && !named.contains(file)).toList();
    Set<Path> reached = new HashSet<>();
    nodes.stream().filter(node -> !node.component()).forEach(node -> reach(node, nodes, reached));
    return new ManifestTree(
        directories(nodes, false),
        directories(nodes, true),
        strays,
        directories(nodes, true).stream().filter(path -> !reached.contains(path)).toList());
  }

  private static boolean yaml(Path file) {
    return name(file).endsWith(".yaml") || name(file).endsWith(".yml");
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  private static List<Path> directories(List<Node> nodes, boolean component) {
    return nodes.stream()
        .filter(node -> node.component() == component)
        .map(Node::directory)
        .toList();
  }

  private static void reach(Node node, List<Node> nodes, Set<Path> reached) {
    if (reached.add(node.directory())) {
      nodes.stream()
          .filter(other -> node.named().contains(other.directory()))
          .forEach(other -> reach(other, nodes, reached));
    }
  }

  private static Node node(Path file) throws IOException {
    Path directory = file.resolveSibling("").normalize();
    JsonNode document = StrictYaml.documents(Files.readString(file)).getFirst();
    String kind = document.path("kind").asText();
    if (!kind.equals("Kustomization") && !kind.equals("Component")) {
      throw new MalformedManifestException(
          file + ": expected a Kustomization or a Component, found '" + kind + "'");
    }
    Set<Path> named = new HashSet<>();
    words(
        document,
        word -> {
          // A kustomization also has strings that are not paths, such as inline patches and labels.
          // No file or directory has such a string as its name.
          if (!word.contains("\n")) {
            Path path = directory.resolve(word).normalize();
            if (Files.exists(path)) {
              named.add(path);
            }
          }
        });
    return new Node(directory, kind.equals("Component"), named);
  }

  private static void words(JsonNode node, java.util.function.Consumer<String> taker) {
    if (node.isTextual()) {
      taker.accept(node.asText());
    }
    node.forEach(child -> words(child, taker));
  }
}

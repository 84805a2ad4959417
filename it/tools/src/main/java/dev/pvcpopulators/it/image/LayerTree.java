package dev.pvcpopulators.it.image;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A directory with the content of a layer. `tar` packs the directory.
public record LayerTree(Path root) {
  public static LayerTree in(Path parent, String name) throws IOException {
    return new LayerTree(Files.createDirectory(parent.resolve(name)));
  }

  /// Adds a file to the tree, as a hard link to an existing file.
  public LayerTree file(String name, Path file) throws IOException {
    Files.createLink(place(name), file);
    return this;
  }

  /// Adds an empty file, such as a whiteout (OCI image-spec 1.1, layer.md). The whiteout `.wh.NAME`
  /// deletes the entry NAME of the layers below. The whiteout `.wh..wh..opq` deletes all entries
  /// that the layers below have in the same directory.
  public LayerTree empty(String name) throws IOException {
    Files.createFile(place(name));
    return this;
  }

  public LayerTree symlink(String name, String target) throws IOException {
    Files.createSymbolicLink(place(name), Path.of(target));
    return this;
  }

  public LayerTree hardlink(String name, String existing) throws IOException {
    Files.createLink(place(name), root.resolve(existing));
    return this;
  }

  public LayerTree directory(String name) throws IOException {
    Files.createDirectories(root.resolve(name));
    return this;
  }

  /// Packs the tree as a tar. All files in the tar belong to user and group 107, because KubeVirt
  /// runs virtual machines with these IDs.
  public void pack(Path tar) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of("tar", "-C", root.toString(), "--owner=107", "--group=107", "--sort=name"));
    command.addAll(List.of("-cf", tar.toString()));
    try (Stream<Path> members = Files.list(root)) {
      members.sorted().forEach(member -> command.add(member.getFileName().toString()));
    }
    Command.run(command.toArray());
  }

  private Path place(String name) throws IOException {
    Path path = root.resolve(name);
    Files.createDirectories(path.getParent());
    return path;
  }
}

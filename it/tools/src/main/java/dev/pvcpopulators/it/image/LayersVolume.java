package dev.pvcpopulators.it.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.disk.QemuImg;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A volume of the service image-to-qcow2-layers. The volume contains layers and machines.
public record LayersVolume(Path path) {
  public static LayersVolume in(Path parent, String name) throws IOException {
    return new LayersVolume(Files.createDirectory(parent.resolve(name)));
  }

  public Path layersDirectory() {
    return path.resolve("layers");
  }

  public Path image(String name) {
    return path.resolve("images").resolve(name);
  }

  public Path disk(String name) {
    return image(name).resolve("disk.qcow2");
  }

  /// Returns the files of all published layers, in the order of their names; empty if the volume
  /// has no directory of layers.
  public List<Path> layers() throws IOException {
    if (!Files.isDirectory(layersDirectory())) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(layersDirectory())) {
      return files
          .filter(file -> file.toString().endsWith(".qcow2"))
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .sorted()
          .toList();
    }
  }

  /// Asks qemu-img for the layers below a machine's disk, and returns their paths from the bottom
  /// up.
  public List<Path> chain(String name) throws IOException, InterruptedException {
    List<Path> chain = new ArrayList<>();
    JsonNode files =
        Json.text(
            QemuImg.run("info", "--backing-chain", "--output=json", "-U", disk(name).toString()));
    for (JsonNode file : files) {
      chain.add(Path.of(file.path("filename").asText()).toRealPath());
    }
    assertEquals(disk(name).toRealPath(), chain.removeFirst());
    Collections.reverse(chain);
    return chain;
  }

  /// Fails the test unless `qemu-img check` accepts the files of all published layers and the disks
  /// of all published machines. The check also requires that every backing file exists.
  public void assertSound() throws IOException, InterruptedException {
    List<Path> files = new ArrayList<>(layers());
    try (Stream<Path> images =
        Files.isDirectory(path.resolve("images"))
            ? Files.list(path.resolve("images"))
            : Stream.empty()) {
      images
          .map(image -> image.resolve("disk.qcow2"))
          .filter(disk -> !disk.resolveSibling("").getFileName().toString().startsWith("."))
          .filter(Files::exists)
          .forEach(files::add);
    }
    for (Path file : files) {
      check(file);
    }
  }

  /// Fails the test if `qemu-img check` finds an error or a leak in a file.
  public static void check(Path file) throws IOException, InterruptedException {
    Command.Ran ran =
        Command.tried(List.of("qemu-img", "check", "-f", "qcow2", file.toString())).ok();
    assertTrue(ran.out().contains("No errors were found"), ran::toString);
  }

  /// Returns the digest of each layer's file. The key is the name of the file.
  public TreeMap<String, String> digests() throws IOException {
    TreeMap<String, String> digests = new TreeMap<>();
    for (Path layer : layers()) {
      digests.put(layer.getFileName().toString(), ImageLayout.digest(layer));
    }
    return digests;
  }

  /// Returns the inode, length and times of each layer's file, so that a test can detect changes.
  /// The key is the name of the file.
  public TreeMap<String, String> identities() throws IOException {
    TreeMap<String, String> identities = new TreeMap<>();
    for (Path layer : layers()) {
      identities.put(
          layer.getFileName().toString(),
          Files.readAttributes(layer, "unix:ino,size,lastModifiedTime,ctime").toString());
    }
    return identities;
  }
}

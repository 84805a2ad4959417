package dev.pvcpopulators.it.image;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// skopeo: copies images between layouts, archives and registries.
public final class Skopeo {
  private Skopeo() {}

  /// Copies an image, or an index with all its images, without changing a byte.
  public static void copyVerbatim(String from, String to) throws IOException {
    copy(from, to, "--all", "--preserve-digests");
  }

  /// Copies an image.
  ///
  /// @param options the options of `skopeo copy`
  public static void copy(String from, String to, String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of("skopeo", "--insecure-policy", "copy", "-q"));
    command.add("--src-tls-verify=false");
    command.add("--dest-tls-verify=false");
    command.addAll(List.of(options));
    command.add(from);
    command.add(to);
    Command.tried(command).ok();
  }

  /// Returns the unchanged manifest or index of an image.
  public static String manifest(String image) throws IOException {
    return Command.run("skopeo", "inspect", "--raw", "--tls-verify=false", image);
  }

  /// Pushes an image of a layout unchanged. skopeo refuses media types that it does not know.
  public static void push(ImageLayout layout, String name, String destination) throws IOException {
    String type = layout.tagged(name).mediaType();
    boolean docker = type.equals(Family.DOCKER.manifest()) || type.equals(Family.DOCKER.index());
    Path directory = layout.directory();
    String source = docker ? "dir:" + layout.asDirectory(name) : "oci:" + directory + ":" + name;
    copyVerbatim(source, destination);
  }
}

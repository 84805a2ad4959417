package dev.pvcpopulators.it.image;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// buildah with its own storage. Needs root. The tests run no program in the images, so buildah
/// needs no container runtime.
public record Buildah(Path storage) {
  public static Buildah in(Path parent, String name) throws IOException {
    return new Buildah(Files.createDirectory(parent.resolve(name)));
  }

  /// Runs `buildah from`: creates a container from an image, and returns the container's name.
  public String from(String image) throws IOException {
    return run("from", "-q", "--pull-never", image);
  }

  /// Copies a disk into a container. The disk gets the owner 107:107, as KubeVirt's guide
  /// describes.
  public void copyDisk(String container, Path disk, String target) throws IOException {
    run("copy", "-q", "--chown", "107:107", container, disk.toString(), target);
  }

  public void config(String container, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("config"));
    arguments.addAll(List.of(options));
    arguments.add(container);
    run(arguments.toArray(String[]::new));
  }

  /// Returns the container's root directory.
  public Path mount(String container) throws IOException {
    return Path.of(run("mount", container));
  }

  /// Creates an image from a container, and deletes the container.
  ///
  /// @param format `docker` or `oci`
  public void commit(String container, String format, String image) throws IOException {
    run("commit", "-q", "--rm", "--format", format, container, image);
  }

  /// Creates a manifest list of images. The images may have different architectures.
  public void manifest(String name, List<String> images) throws IOException {
    run("manifest", "create", name);
    for (String image : images) {
      run("manifest", "add", name, image);
    }
  }

  public void push(String image, String destination, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("push", "-q", "--tls-verify=false"));
    arguments.addAll(List.of(options));
    arguments.addAll(List.of(image, destination));
    run(arguments.toArray(String[]::new));
  }

  public void pushManifest(String name, String destination, String format) throws IOException {
    run("manifest", "push", "-q", "--all", "--tls-verify=false", "-f", format, name, destination);
  }

  private String run(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("buildah", "--storage-driver", "vfs"));
    command.addAll(List.of("--root", storage.resolve("root").toString()));
    command.addAll(List.of("--runroot", storage.resolve("run").toString()));
    command.addAll(List.of(arguments));
    return Command.tried(command).ok().out().strip();
  }
}

package dev.pvcpopulators.it.image;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Path;

/// umoci with its own OCI layout. umoci adds layers to the images of this layout.
public record Umoci(Path layout) {
  public static Umoci in(Path parent, String name) throws IOException {
    Path layout = parent.resolve(name);
    Command.run("umoci", "init", "--layout", layout.toString());
    return new Umoci(layout);
  }

  /// Creates an image without layers.
  public void create(String tag) throws IOException {
    Command.run("umoci", "new", "--image", layout + ":" + tag);
  }

  /// Adds a layer with a file or directory.
  public void insert(String tag, Path source, String target) throws IOException {
    Command.run("umoci", "insert", "--image", layout + ":" + tag, source.toString(), target);
  }

  /// Adds a layer with an opaque directory. An opaque directory hides the content that the layers
  /// below have in the same directory.
  public void insertOpaque(String tag, Path source, String target) throws IOException {
    Command.run(
        "umoci", "insert", "--image", layout + ":" + tag, "--opaque", source.toString(), target);
  }

  /// Adds a layer that deletes a file.
  public void whiteout(String tag, String target) throws IOException {
    Command.run("umoci", "insert", "--image", layout + ":" + tag, "--whiteout", target);
  }

  /// Unpacks an image of any OCI layout.
  ///
  /// @param bundle the directory to create
  /// @return the image's root directory
  public static Path unpack(ImageLayout layout, String tag, Path bundle) throws IOException {
    Command.run("umoci", "unpack", "--image", layout.directory() + ":" + tag, bundle.toString());
    return bundle.resolve("rootfs");
  }

  public String reference(String tag) {
    return "oci:" + layout + ":" + tag;
  }
}

package dev.pvcpopulators.registry.disk;

import static dev.pvcpopulators.fuzz.Refusal.ensure;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.fuzz.Refusal;
import dev.pvcpopulators.registry.Image;
import java.util.OptionalInt;

/// Fuzzes the texts with which a user selects a disk in an image.
public final class DiskWords {
  private DiskWords() {}

  /// Parses a path, and compares its last component with names.
  ///
  /// @param lines the path, and the names
  public static void check(String[] lines) {
    DiskPath path;
    try {
      path = DiskPath.parse(lines[0]);
    } catch (IllegalArgumentException e) {
      Refusal.check(e);
      return;
    }
    ensure(DiskPath.parse(path.pattern()).equals(path), "Read as another: " + path);
    NamePattern pattern = path.name();
    for (int i = 1; i < lines.length; i++) {
      boolean matches = pattern.matches(lines[i]);
      boolean expected =
          pattern.glob()
              ? PlainPattern.matches(pattern.text(), lines[i])
              : lines[i].equals(pattern.text());
      ensure(matches == expected, pattern.text() + " and " + lines[i] + ": " + matches);
    }
  }

  /// If the image is an artifact with files, selects the layer that is the disk.
  ///
  /// @throws UnsupportedFeatureException if no layer, or more than one, can be the disk
  public static void choose(Image image) throws UnsupportedFeatureException {
    OptionalInt layer = ArtifactLayers.choose(image, DiskPath.DEFAULT);
    ensure(layer.isEmpty() || layer.getAsInt() < image.manifest().layers().size(), "No such layer");
  }
}

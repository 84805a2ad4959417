package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A registry with disks in container images.
public record Images(LyingRegistry registry, List<Image> all) implements Closeable {
  private static final Family[] FAMILIES = Family.values();
  private static final Packing[] PACKINGS = Packing.values();

  /// An image with one disk.
  ///
  /// @param name the description for the report
  /// @param repositoryAndTag the image's name in the registry
  /// @param length the length of the image's layer in bytes
  public record Image(String name, String repositoryAndTag, long length, Disk disk) {}

  public Images {
    all = List.copyOf(all);
  }

  /// Starts the registry with one image per disk. Consecutive images use different families of
  /// media types and different compressions.
  public static Images of(Path work, List<Disk> disks) throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "registry");
    List<Image> images = new ArrayList<>();
    for (Disk disk : disks) {
      int index = images.size();
      Family family = FAMILIES[index % FAMILIES.length];
      Packing packing = PACKINGS[index % PACKINGS.length];
      LayerTree tree =
          LayerTree.in(work, "image-" + index)
              .file("disk/" + disk.image().getFileName(), disk.image());
      Content layer = layout.layer(family, packing, tree);
      layout.tag("disk-" + index, layout.image(family, List.of(layer)));
      String name = disk.name() + ", layer " + packing;
      images.add(new Image(name, "disks/torture:disk-" + index, layer.size(), disk));
    }
    return new Images(LyingRegistry.of(layout), images);
  }

  @Override
  public void close() {
    registry.close();
  }
}

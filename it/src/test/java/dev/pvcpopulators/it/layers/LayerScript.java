package dev.pvcpopulators.it.layers;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A container image whose layers are the output of shell scripts. Each script packs one layer with
/// `tar`. Therefore a layer can contain entries that image builders do not write.
///
/// A script runs in an empty directory. The argument `$1` is the path of the layer's tar.
///
/// @param name the purpose of the image
/// @param scripts one script per layer, from the bottom up
/// @param implied the directories that have no tar entry, named as in a [TreeList]
record LayerScript(String name, List<String> scripts, List<String> implied) {
  LayerScript {
    scripts = List.copyOf(scripts);
    implied = List.copyOf(implied);
  }

  static LayerScript of(String name, String... scripts) {
    return new LayerScript(name, List.of(scripts), List.of());
  }

  LayerScript implying(String... directories) {
    return new LayerScript(name, scripts, List.of(directories));
  }

  /// Makes the layers and adds the image to a layout.
  ///
  /// @param work the directory for temporary files
  void addTo(ImageLayout layout, String tag, Path work) throws IOException {
    List<Content> layers = new ArrayList<>();
    for (String script : scripts) {
      Path tar = Files.createTempFile(work, "layer", ".tar");
      Path tree = Files.createTempDirectory(work, "tree");
      Command.in(tree, "sh", "-euc", script, "sh", tar.toString());
      layers.add(layout.layer(Family.OCI, Packing.GZIP, tar));
      Files.delete(tar);
      Command.run("rm", "-rf", tree.toString());
    }
    layout.tag(tag, layout.image(Family.OCI, layers));
  }

  @Override
  public String toString() {
    return name;
  }
}

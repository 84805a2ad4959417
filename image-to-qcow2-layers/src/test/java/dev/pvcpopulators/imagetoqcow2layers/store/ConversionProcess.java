package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.local.LayoutStore;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.registry.pull.ImageSource;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A conversion in a separate process. A test can kill the process, or can set its locale and its
/// time zone.
final class ConversionProcess {
  private ConversionProcess() {}

  /// Converts the image of an OCI layout into layers, and prints the number of layers that the
  /// conversion made.
  ///
  /// @param arguments the layout, the store, and the size of the file system in bytes
  public static void main(String[] arguments) throws Exception {
    SourceReference.Local reference =
        new SourceReference.Local(
            SourceReference.Transport.LAYOUT, Path.of(arguments[0]), Optional.of("latest"));
    try (ImageSource source = new ImageSource(LayoutStore.open(reference), reference)) {
      ImageChoice choice = ImageChoice.of(new Platform("linux", "amd64", ""));
      List<LayerSource> layers = LayerSource.of(source.resolve(choice));
      StackConversion.Converted converted =
          StackConversion.run(
              new StackConversion.Stack(layers, new Geometry(Long.parseLong(arguments[2])), false),
              source.blobs(),
              LayerStore.open(Path.of(arguments[1])),
              Blobs.DEAF);
      System.out.println(converted.made());
    }
  }

  /// Starts a conversion in a new process.
  ///
  /// @param output the file for standard output and standard error
  /// @param environment additional variables; `UMASK` sets the umask of the process
  static Process start(
      Path layout, Path store, Geometry geometry, File output, Map<String, String> environment)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (environment.containsKey("UMASK")) {
      command.addAll(List.of("sh", "-c", "umask $UMASK; exec \"$@\"", "sh"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            // Two JVMs that start together could otherwise print a warning into the output.
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            ConversionProcess.class.getName(),
            layout.toString(),
            store.toString(),
            String.valueOf(geometry.size())));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
    builder.environment().putAll(environment);
    return builder.start();
  }
}

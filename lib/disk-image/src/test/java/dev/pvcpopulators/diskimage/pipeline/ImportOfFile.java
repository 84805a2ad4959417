package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeTarget;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.diskimage.volume.WriteOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/// Imports a file into a volume. Runs in a separate process, so that a test can limit the heap.
final class ImportOfFile {
  private ImportOfFile() {}

  /// Runs the import.
  ///
  /// @param arguments the file, and the volume
  static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    RepeatableSource source =
        new RepeatableSource() {
          @Override
          public InputStream open() throws IOException {
            return Files.newInputStream(file);
          }

          @Override
          public OptionalLong length() {
            return OptionalLong.empty();
          }
        };
    VolumeTarget volume = VolumeTarget.of(Path.of(arguments[1]));
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      ImportedImage image = DiskImport.run(source, writer, Optional.empty(), ImportListener.NONE);
      writer.publish(Origin.digest(""), image.format());
    }
  }
}

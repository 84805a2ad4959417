package dev.pvcpopulators.kit.disk;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.volume.Failure;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskVolumeTest {
  @TempDir Path directory;

  /// Tries to write a disk and returns the detail of the failure.
  private String refusal(boolean overwrite) {
    Map<String, String> properties =
        Map.of(
            "populator.target",
            directory.toString(),
            "populator.overwrite",
            Boolean.toString(overwrite));
    SmallRyeConfig config =
        new SmallRyeConfigBuilder()
            .withSources(new PropertiesConfigSource(properties, "test", 100))
            .withConverter(Duration.class, 200, new DurationConverter())
            .withMapping(PopulatorSettings.class)
            .build();
    DiskVolume volume =
        new DiskVolume(config.getConfigMapping(PopulatorSettings.class), new ClaimName("claim"));
    IOException e = assertThrows(IOException.class, () -> volume.open().close());
    return assertInstanceOf(Failure.VolumeNotEmpty.class, volume.failureOf(e, "Filling it"))
        .detail();
  }

  @Test
  void namesThePermissionToOverwriteOnlyIfItHelps() throws IOException {
    Path disk = Files.writeString(directory.resolve("disk.img"), "x");
    String file = refusal(false);
    assertTrue(file.contains("POPULATOR_OVERWRITE=true"), file);
    Files.delete(disk);
    Files.createDirectory(disk);
    for (boolean overwrite : new boolean[] {false, true}) {
      String other = refusal(overwrite);
      assertTrue(other.contains("neither a regular file nor a symbolic link"), other);
      assertFalse(other.contains("OVERWRITE"), other);
    }
  }
}

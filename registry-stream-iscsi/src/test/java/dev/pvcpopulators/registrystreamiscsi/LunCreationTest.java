package dev.pvcpopulators.registrystreamiscsi;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.registrystreamiscsi.fixture.DiskLayout;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.WantedLun;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tests requests for LUNs whose image has failed.
@Timeout(300)
final class LunCreationTest {
  @TempDir Path work;

  /// Changes the CRC-32 at the end of the gzip layer.
  private static void damage(Path layout) throws IOException {
    Path layer;
    try (Stream<Path> blobs = Files.list(layout.resolve("blobs/sha256"))) {
      layer = blobs.max(Comparator.comparingLong(it -> it.toFile().length())).orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(layer);
    bytes[bytes.length - 6] ^= 1;
    Files.write(layer, bytes);
  }

  /// A failed LUN with written data keeps its number, so no new LUN may replace it.
  @Test
  void aFailedLunThatWasWrittenIsNoAnswer() throws Exception {
    Path layout = work.resolve("layout");
    Files.createDirectory(work.resolve("cache"));
    DiskLayout.makeOfDemo(layout);
    damage(layout);
    StreamedVolumes volumes =
        TestVolumes.in(
            work.resolve("cache"),
            Map.of(
                "registry-stream-iscsi.image",
                "oci:" + layout,
                "registry-stream-iscsi.lun",
                "0",
                "registry-stream-iscsi.copy-mode",
                "copy-on-write"));
    StreamedVolumes.Begun begun = volumes.begin(new Progress());
    StreamedVolume volume = begun.volume();
    volume
        .creation()
        .createAll(begun.missing().stream().map(each -> WantedLun.anew(each, null)).toList());
    ExportedLun lun = volume.lun(0);
    lun.unit().medium().write(0, ByteBuffer.allocate(4096));
    assertThrows(ExecutionException.class, () -> lun.image().completed().get());
    for (int request = 0; request < 2; request++) {
      VolumeException refused =
          assertThrows(VolumeException.class, () -> volume.creation().add(VolumeRequest.empty()));
      assertInstanceOf(Failure.VolumeNotEmpty.class, refused.failure());
    }
    volume.close();
    volumes.close();
  }
}

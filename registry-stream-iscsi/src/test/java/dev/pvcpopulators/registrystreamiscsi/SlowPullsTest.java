package dev.pvcpopulators.registrystreamiscsi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.registrystreamiscsi.fixture.DiskLayout;
import dev.pvcpopulators.registrystreamiscsi.image.HeldRegistry;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.WantedLun;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.VolumeRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tests LUNs of images whose registry is slow.
@Timeout(300)
final class SlowPullsTest {
  @TempDir Path work;

  private StreamedVolumes volumes(HeldRegistry slow, HeldRegistry quick) {
    return TestVolumes.in(
        work.resolve("cache"),
        Map.of(
            "registry-stream-iscsi.image",
            slow.image("slow/disk"),
            "registry-stream-iscsi.insecure-registries",
            slow.address() + "," + quick.address(),
            "registry-stream-iscsi.max-pulls",
            "1"));
  }

  /// The maximum number of pulls is 1, and a slow pull is running. A second LUN must nevertheless
  /// be exported. The pull for the second LUN completes after the slow pull has ended.
  @Test
  void lunIsAddedWhileOthersArePulled() throws Exception {
    Path layout = work.resolve("layout");
    Files.createDirectory(work.resolve("cache"));
    DiskLayout.makeOfDemo(layout);
    try (HeldRegistry slow = new HeldRegistry(layout);
        HeldRegistry quick = new HeldRegistry(layout)) {
      slow.hold();
      StreamedVolumes volumes = volumes(slow, quick);
      StreamedVolumes.Begun begun = volumes.begin(new Progress());
      StreamedVolume volume = begun.volume();
      volume
          .creation()
          .createAll(begun.missing().stream().map(each -> WantedLun.anew(each, null)).toList());
      VolumeRequest second =
          new VolumeRequest(
              JsonNodeFactory.instance
                  .objectNode()
                  .put("image", quick.image("quick/disk"))
                  .put("lun", 1));
      assertEquals(1, ((IscsiSource) volume.creation().add(second).source()).lun());
      assertEquals(
          List.of(0, 1), volume.exports().luns().stream().map(ExportedLun::number).toList());
      slow.release();
      for (ExportedLun lun : volume.exports().luns()) {
        var _ = lun.image().completed().get();
      }
      volume.close();
      volumes.close();
    }
  }
}

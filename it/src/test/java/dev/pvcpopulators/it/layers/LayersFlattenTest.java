package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.LayersVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the flattened disk, the raw file `disk.img`. KubeVirt can boot a virtual machine from a
/// claim whose volume contains this file.
@Tag("nightly")
final class LayersFlattenTest {
  @TempDir private Path work = Path.of("");

  @Test
  void isTheDiskOfTheStackAndSparse() throws IOException, InterruptedException {
    LayersVolume volume = LayersVolume.in(work, "volume");
    LayersJob.into(volume.path(), work)
        .from(RealImages.reference("nginx"))
        .named("nginx")
        .set("FLATTEN", "true")
        .run()
        .ok();
    Path disk = volume.path().resolve("disk.img");
    assertEquals(10L << 30, Files.size(disk));
    QemuImg.assertIdentical(volume.disk("nginx"), "qcow2", disk);
    Path converted = work.resolve("converted.img");
    QemuImg.toRaw(volume.disk("nginx"), "qcow2", converted);
    VolumeDirectory.assertAllocatedLike(converted, disk);
    RealImages.expected("nginx").assertEquals(TreeList.ofDisk(disk, work));
    Command.run("e2fsck", "-fn", disk.toString());
  }
}

package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A fault of the volume's file system or of its block device.
final class DiskFault implements MachineFault {
  /// The exclusive upper bound, in bytes, of the free space that the fault leaves.
  private static final long LEFT = 2 << 20;

  private static final int SIGKILL = 137;

  private final Kind kind;
  private @Nullable FaultyVolume mounted;

  enum Kind {
    /// Another program fills the disk during the job.
    FULL_DISK,
    /// The file system becomes read-only, as ext4 does when it detects damage.
    READ_ONLY_DISK,
    /// The device has less space than it reports, so write-back fails.
    THIN_DISK,
    /// The host loses power: the process ends, and data that was not flushed is lost.
    POWER_LOSS
  }

  DiskFault(Kind kind) {
    this.kind = kind;
  }

  @Override
  public String name() {
    return kind.name();
  }

  @Override
  public boolean wantsOwnProcess() {
    return true;
  }

  @Override
  public Launch prepare(Launch launch, Path volume) throws IOException {
    mounted = FaultyVolume.on(volume);
    return launch;
  }

  private FaultyVolume mounted() {
    FaultyVolume there = mounted;
    if (there == null) {
      throw new IllegalStateException("Nothing is mounted");
    }
    return there;
  }

  /// Flushes the files that exist before the job. On a real PVC, the device already contains the
  /// files of earlier jobs when a new job begins.
  @Override
  public void arm(FaultContext scene) throws IOException {
    mounted().sync();
  }

  @Override
  public void strike(FaultContext scene) throws IOException {
    switch (kind) {
      case FULL_DISK -> mounted().fill(scene.random().nextLong(LEFT));
      case READ_ONLY_DISK -> mounted().abort();
      case THIN_DISK -> mounted().exhaustPool(scene.random().nextLong(LEFT));
      case POWER_LOSS -> mounted().losePower();
    }
    scene.wire().open();
  }

  @Override
  public void heal(FaultContext scene) throws IOException {
    switch (kind) {
      case FULL_DISK -> mounted().unfill();
      case READ_ONLY_DISK, THIN_DISK, POWER_LOSS -> {
        scene.service().kill();
        mounted().repair();
      }
    }
  }

  @Override
  public void remove(Path volume) throws IOException {
    mounted().remove();
    mounted = null;
  }

  @Override
  public Set<Integer> exits() {
    return kind == Kind.FULL_DISK ? Set.of() : Set.of(SIGKILL);
  }

  @Override
  public boolean mayPreventRecord() {
    return kind == Kind.FULL_DISK;
  }
}

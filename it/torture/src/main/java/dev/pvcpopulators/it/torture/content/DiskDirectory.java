package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// A Filesystem volume for a job that makes `disk.img`. Before the job, the volume contains a file
/// that the job must not change. In some rounds, the volume also contains an older disk, which the
/// job may replace.
public final class DiskDirectory implements VolumeContent {
  private static final String BYSTANDER = "bystander";
  private static final int BYSTANDER_LENGTH = 4096;
  private static final int OLDER_LENGTH = 1 << 20;

  private final VolumeDirectory directory;
  private final Path expected;
  private final byte[] bystander = new byte[BYSTANDER_LENGTH];
  private final byte[] older;

  /// Defines the content; [#furnish] writes the files.
  ///
  /// @param path the directory of the volume
  /// @param expected the disk that the job has to make
  /// @param older whether the volume contains an older disk before the job
  public DiskDirectory(Path path, Path expected, boolean older, SplittableRandom random) {
    this.directory = new VolumeDirectory(path);
    this.expected = expected;
    this.older = new byte[older ? OLDER_LENGTH : 0];
    random.nextBytes(bystander);
    random.nextBytes(this.older);
  }

  @Override
  public boolean hasOlder() {
    return older.length > 0;
  }

  @Override
  public Path path() {
    return directory.path();
  }

  @Override
  public void furnish() throws IOException {
    BrokenInvariant.unless("the volume before a round", List.of(), directory.names());
    Files.write(path().resolve(BYSTANDER), bystander);
    if (hasOlder()) {
      Files.write(directory.disk(), older);
    }
  }

  @Override
  public VolumeState found() throws IOException {
    checkBystander();
    if (Files.notExists(directory.disk())) {
      if (hasOlder()) {
        throw new BrokenInvariant("the older disk", "unchanged, or replaced", "nothing");
      }
      return VolumeState.ABSENT;
    }
    if (hasOlder()
        && Files.size(directory.disk()) == older.length
        && Arrays.equals(older, Files.readAllBytes(directory.disk()))) {
      return VolumeState.OLDER;
    }
    checkDisk();
    return VolumeState.COMPLETE;
  }

  @Override
  public void checkComplete() throws IOException {
    BrokenInvariant.unless("the volume", VolumeState.COMPLETE, found());
    BrokenInvariant.unless("the volume", List.of(BYSTANDER, "disk.img"), directory.names());
  }

  @Override
  public void checkClear() throws IOException {
    checkBystander();
    BrokenInvariant.unless("files left in the volume", List.of(BYSTANDER), directory.names());
    Files.delete(path().resolve(BYSTANDER));
  }

  @Override
  public void delete() throws IOException {
    Files.delete(directory.disk());
  }

  @Override
  public void deleteUnrecorded() throws IOException {
    Path disk = directory.disk();
    if (Files.exists(disk)
        && Files.getFileAttributeView(disk, UserDefinedFileAttributeView.class).list().isEmpty()) {
      Files.delete(disk);
    }
  }

  private void checkBystander() throws IOException {
    if (!Arrays.equals(bystander, Files.readAllBytes(path().resolve(BYSTANDER)))) {
      throw new BrokenInvariant("content of the file bystander", "unchanged", "other bytes");
    }
  }

  private void checkDisk() throws IOException {
    BrokenInvariant.unless(
        "length of the disk", Files.size(expected), Files.size(directory.disk()));
    long difference = Files.mismatch(expected, directory.disk());
    if (difference >= 0) {
      throw new BrokenInvariant(
          "the disk", "the bytes that qemu-img makes", "other bytes at offset " + difference);
    }
    BrokenInvariant.unless(
        "mode of the disk",
        "rw-rw----",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.disk())));
  }
}

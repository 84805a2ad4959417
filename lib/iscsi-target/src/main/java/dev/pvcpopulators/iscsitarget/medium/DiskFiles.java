package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The two files of a disk.
///
/// @param disk a sparse file with the bytes of the disk
/// @param map a [BlockMapFile] that records which blocks `disk` has; the map may lie in another
///   directory than `disk`
public record DiskFiles(Path disk, Path map) {
  /// Returns the files of a disk by its name. For the name `disk`, these are `disk.img` and
  /// `disk.map`.
  public static DiskFiles in(Path directory, String name) {
    return new DiskFiles(directory.resolve(name + ".img"), directory.resolve(name + ".map"));
  }

  /// Removes existing files of this disk, then creates a disk file of zeros and opens it for
  /// writing. Does not create a map.
  ///
  /// @param length in bytes, a multiple of 512, at least 512
  public FileMedium createDisk(long length) throws IOException {
    // An old map is removed before the new disk is created, because a map that says "complete" must
    // not exist beside an empty disk.
    remove();
    Files.createFile(disk);
    try (NativeFile made = NativeFile.openToWrite(disk, NativeFile.Links.REFUSED)) {
      made.truncate(length);
    }
    return FileMedium.openOwn(disk, true);
  }

  /// Returns the temporary path of a map whose creation is not finished.
  public Path unfinishedMap() {
    return map.resolveSibling(map.getFileName() + ".new");
  }

  /// Removes the disk, its map and an unfinished map, if they exist.
  public void remove() throws IOException {
    Files.deleteIfExists(unfinishedMap());
    Files.deleteIfExists(map);
    Files.deleteIfExists(disk);
  }

  /// Flushes the directories of both files to stable storage, so that the names of the files
  /// survive a power failure.
  public void syncNames() throws IOException {
    syncDirectory(disk);
    syncDirectory(map);
  }

  private static void syncDirectory(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new IOException("No directory holds " + file);
    }
    try (Directory opened = Directory.open(directory)) {
      opened.sync();
    }
  }
}

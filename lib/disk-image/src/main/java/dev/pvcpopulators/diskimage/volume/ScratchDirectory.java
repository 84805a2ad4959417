package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.Closing;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A directory for files without a name; used only if the volume is a block device. None of these
/// files remains after a crash, with one exception: if the file system cannot create a file without
/// a name, a new file has a name for a moment, and a crash at that moment leaves the empty file.
final class ScratchDirectory implements AutoCloseable {
  private final Path path;
  private final List<NativeFile> kept = new ArrayList<>();

  ScratchDirectory(Path path) {
    this.path = path;
  }

  /// Returns the number of bytes that can be written now to files in this directory.
  long usable() throws IOException {
    try (Directory directory = Directory.open(path)) {
      return directory.fileSystem().usable();
    }
  }

  /// Creates a new, empty file. The caller closes it.
  NativeFile create() throws IOException {
    try (Directory directory = Directory.open(path)) {
      return directory.createUnnamed(DirectoryVolume.temporaryName(), false);
    }
  }

  /// Creates a new, empty file that is closed with this directory.
  NativeFile createKept() throws IOException {
    NativeFile created = create();
    kept.add(created);
    return created;
  }

  @Override
  public void close() throws IOException {
    Closing.all(kept);
  }
}

package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;

/// A layout or an archive, in which each blob is one file.
abstract sealed class FileBlobStore implements BlobStore permits LayoutStore, DockerArchiveStore {
  final NamedFiles files;

  /// Creates a store.
  ///
  /// @param files owned by this store from now on
  FileBlobStore(NamedFiles files) {
    this.files = files;
  }

  /// Returns the name of the file with a blob. [LayoutStore] does not check whether the file
  /// exists.
  ///
  /// @throws SourceNotFoundException if there is no such blob
  abstract String fileName(Digest blob) throws SourceNotFoundException;

  private FileSection open(Descriptor blob) throws IOException {
    return files.open(fileName(blob.digest()));
  }

  @Override
  public InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException {
    return open(descriptor).verified(descriptor, listener);
  }

  @Override
  public InputStream range(Descriptor blob, long offset, long length) throws IOException {
    return open(blob).range(blob, offset, length);
  }

  @Override
  public InputStream rest(Descriptor blob, long offset) throws IOException {
    return open(blob).rest(blob, offset);
  }

  @Override
  public boolean has(Descriptor blob) throws IOException {
    try {
      String file = fileName(blob.digest());
      if (!files.contains(file)) {
        return false;
      }
      try (FileSection section = files.open(file)) {
        return section.length() == blob.size();
      }
    } catch (SourceNotFoundException | SourceDeniedException _) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}

package dev.pvcpopulators.diskimage.compression;

import com.github.luben.zstd.util.Native;
import java.io.IOException;
import java.io.UncheckedIOException;

/// The native library of zstd-jni.
public final class ZstdLibrary {
  private ZstdLibrary() {}

  /// Loads the library, unless it is loaded already. Callers must call this method before they use
  /// a class of zstd-jni. The classes of zstd-jni load the library when they are initialised, and a
  /// class whose initialisation has failed cannot be used any more in this process. After a failure
  /// of this method, the next call tries again.
  ///
  /// @throws UncheckedIOException if the library cannot be loaded, for example because the process
  ///   has too many open files
  public static void load() {
    try {
      Native.load();
    } catch (LinkageError e) {
      throw new UncheckedIOException(new IOException("Cannot load the library of zstd", e));
    }
  }
}

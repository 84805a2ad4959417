package dev.pvcpopulators.registry.local;

import java.io.Closeable;
import java.io.IOException;

/// The files of a layout or archive, which are opened by name in a directory or in a tar.
///
/// Thread-safe. [#close] ends reads of other threads with an [IOException].
interface NamedFiles extends Closeable {
  /// Returns whether a file of that name exists.
  ///
  /// @param name a relative path with `/` as the separator: a name that the specification of the
  ///   layout or archive defines, or a name derived from a digest
  boolean contains(String name) throws IOException;

  /// Opens a file.
  ///
  /// @param name as in [#contains]; in a tar, also a name from the tar's `manifest.json`
  /// @return the content of the file; owned by the caller
  /// @throws dev.pvcpopulators.http.SourceNotFoundException if there is no such file
  FileSection open(String name) throws IOException;

  /// Returns the location of the files, for messages.
  @Override
  String toString();
}

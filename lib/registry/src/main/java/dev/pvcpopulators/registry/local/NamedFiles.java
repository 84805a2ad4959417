package dev.pvcpopulators.registry.local;

import java.io.Closeable;
import java.io.IOException;

/// The files of a layout by their names, in a directory or in a tar of such a directory.
///
/// Safe for several threads. [#close] ends reads of other threads with an [IOException].
interface NamedFiles extends Closeable {
  /// Returns whether a file of that name exists.
  ///
  /// @param name relative, with `/`; a fixed name of the format, or a name derived from a digest
  boolean contains(String name) throws IOException;

  /// Opens a file.
  ///
  /// @return owned by the caller
  /// @throws dev.pvcpopulators.http.SourceNotFoundException if there is no such file
  FileSection open(String name) throws IOException;

  /// Returns the location of the files, for messages.
  @Override
  String toString();
}

package dev.pvcpopulators.registry.local;

import java.io.Closeable;
import java.io.IOException;

/// The files of a layout by their names in it: a directory, or a tar of one.
///
/// For several threads. [#close] ends what the others are reading with an [IOException].
interface NamedFiles extends Closeable {
  /// Returns whether there is something of that name.
  ///
  /// @param name relative, with `/`; a name of the format or one made of a digest
  boolean contains(String name) throws IOException;

  /// Opens a file.
  ///
  /// @return owned by the caller
  /// @throws dev.pvcpopulators.http.SourceNotFoundException if there is no such file
  FileSection open(String name) throws IOException;

  /// Where the files are, for messages.
  @Override
  String toString();
}

package dev.pvcpopulators.http.file;

import java.io.IOException;

/// A lost download cannot be resumed: the file changed, or its server gives no ranges. The download
/// has to begin anew.
public final class FileChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  FileChangedException(String message) {
    super(message);
  }
}

package dev.pvcpopulators.http.file;

import java.io.IOException;

/// Reports that an interrupted download cannot be resumed: the file changed, or the server's
/// responses do not allow it. The download has to start again.
public final class FileChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  FileChangedException(String message) {
    super(message);
  }
}

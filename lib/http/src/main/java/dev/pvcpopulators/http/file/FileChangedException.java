package dev.pvcpopulators.http.file;

import java.io.IOException;

/// Reports that a lost download cannot be resumed: the file changed, or its server does not support
/// ranges. The download has to start again.
public final class FileChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  FileChangedException(String message) {
    super(message);
  }
}

package dev.pvcpopulators.http.file;

import java.io.IOException;

/// Reports that a download cannot continue: the server has another version of the file, or the
/// connection was lost and the download cannot resume. The download has to start again.
public final class FileChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  FileChangedException(String message) {
    super(message);
  }
}

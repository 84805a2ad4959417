package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.kit.web.Page;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import java.util.List;
import java.util.stream.Stream;

/// Lists the files of the upload page, which is served at `/`. A user drops a file on the page, or
/// chooses a file, and the page uploads this file.
final class UploadPage {
  private static final List<String> FILES =
      Stream.of(
              "chooser.js",
              "file-digest.js",
              "hash-worker.js",
              "interruption.js",
              "keyboard.js",
              "judgement.js",
              "notes.js",
              "options.js",
              "progress-view.js",
              "remember.js",
              "sha256.js",
              "speed.js",
              "tab-lock.js",
              "transfer.js",
              "upload-resource.js",
              "upload.css",
              "upload.js",
              "words.js")
          .map("/page/"::concat)
          .toList();

  private UploadPage() {}

  @Produces
  @Dependent
  static Page page() {
    return new Page("/page/index.html", FILES);
  }
}

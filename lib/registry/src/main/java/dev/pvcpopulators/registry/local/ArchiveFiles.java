package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.Sniffer;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.SourceNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Locale;

/// The files in a tar archive, which is opened once and indexed once.
///
/// If a thread is interrupted during a read, the JDK closes the channel, and thereby the archive,
/// for all threads.
record ArchiveFiles(Path file, FileChannel channel, TarIndex index) implements NamedFiles {
  /// Opens an archive.
  ///
  /// @throws SourceNotFoundException if there is no such file
  /// @throws UnsupportedFeatureException if the file is compressed, has sparse entries, or exceeds
  ///   a limit of [TarIndex]
  /// @throws MalformedImageException if the file is not a complete tar
  static ArchiveFiles open(Path file) throws IOException {
    FileChannel channel = LocalFile.open(file);
    try {
      refuseCompressed(file, channel);
      return new ArchiveFiles(file, channel, TarIndex.read(channel));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static void refuseCompressed(Path file, FileChannel channel) throws IOException {
    if (head(new FileSection(channel, 0, channel.size(), () -> {}))
        instanceof Sniffed.Compressed(var compression)) {
      String tool = compression.name().toLowerCase(Locale.ROOT);
      throw new UnsupportedFeatureException(
          file
              + ": expected a plain tar, found one compressed with "
              + tool
              + ", whose parts cannot be reached without unpacking all of it; unpack it first: "
              + tool
              + " -d < FILE > FILE.tar");
    }
  }

  /// Detects the format of a section from its beginning; advances the section's position.
  static Sniffed head(FileSection section) throws IOException {
    byte[] head = new byte[Sniffer.HEAD_LENGTH];
    return Sniffer.sniff(head, section.readNBytes(head, 0, head.length));
  }

  @Override
  public boolean contains(String name) {
    return index.find(name).isPresent();
  }

  @Override
  public FileSection open(String name) throws IOException {
    TarIndex.Span span =
        index
            .find(name)
            .orElseThrow(() ->
                new SourceNotFoundException(
                    "Cannot read %s in %s: no such file in the archive"
                        .formatted(Quoted.of(name), file)));
    return new FileSection(channel, span.offset(), span.length(), () -> {});
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public String toString() {
    return file.toString();
  }
}

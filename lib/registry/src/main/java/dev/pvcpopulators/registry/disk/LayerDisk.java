package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.archive.TarEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A stream of the disk's bytes, which are read from the stream of the layer.
///
/// Data after the disk can still show that the disk is not valid: another file, a wrong checksum, a
/// wrong digest. Therefore -1 is returned only after the layer was read to its end and verified.
/// The caller must not publish anything before -1 is returned.
final class LayerDisk extends BulkInputStream {
  private static final int BUFFER_LENGTH = 256 << 10;

  private final LayerEntries entries;
  private final LayerScan scan;
  private final TarEntry entry;
  private final OptionalLong storedOffset;
  private long position;
  private boolean ended;
  private @Nullable IOException failure;

  /// Creates the stream.
  ///
  /// @param entries the layer's entries, positioned at the disk; owned by this stream from now on
  /// @param scan the scan, which has evaluated all entries up to and including the disk's entry
  LayerDisk(LayerEntries entries, LayerScan scan, TarEntry entry) {
    this.entries = entries;
    this.scan = scan;
    this.entry = entry;
    this.storedOffset = entries.storedOffset();
  }

  TarEntry entry() {
    return entry;
  }

  /// Returns the offset of the disk's first byte in the layer; empty if the layer does not store
  /// the disk's bytes unchanged.
  OptionalLong storedOffset() {
    return storedOffset;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (failure != null) {
      throw failure;
    }
    if (length == 0 || ended) {
      return ended ? -1 : 0;
    }
    try {
      int count = entries.readDisk(target, offset, length);
      if (count < 0) {
        end();
        ended = true;
      } else {
        position += count;
      }
      return count;
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private void end() throws IOException {
    if (position != entry.length()) {
      throw new MalformedImageException(
          "tar entry " + Names.path(entry.name()),
          -1,
          "expected " + entry.length() + " bytes, found " + position);
    }
    Optional<TarEntry> next = entries.next();
    while (next.isPresent()) {
      scan.accept(next.get());
      next = entries.next();
    }
    entries.finish();
    scan.requireOnlyDisk();
  }

  @Override
  public long transferTo(OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER_LENGTH];
    long transferred = 0;
    int count = read(buffer, 0, buffer.length);
    while (count >= 0) {
      out.write(buffer, 0, count);
      transferred += count;
      count = read(buffer, 0, buffer.length);
    }
    return transferred;
  }

  /// Returns a number of bytes that can be read without waiting for the transfer. More bytes may be
  /// available.
  @Override
  public int available() throws IOException {
    return ended ? 0 : (int) Math.min(entries.available(), entry.length() - position);
  }

  /// Ends the transfer, even while another thread reads.
  @Override
  public void close() throws IOException {
    entries.close();
  }
}

package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.ForwardingInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.SniffedStream;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.TarEntry;
import dev.pvcpopulators.diskimage.archive.TarReader;
import dev.pvcpopulators.diskimage.compression.DecoderMemory;
import dev.pvcpopulators.diskimage.compression.Decompressor;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.MediaTypes;
import dev.pvcpopulators.registry.layer.PulledBlob;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// The entries of a layer. The thread `pull` pulls and hashes the layer. If the layer is
/// compressed, the thread `inflate` decompresses it. The caller's thread reads the tar.
///
/// The magic number at the beginning of the layer determines the compression, because media types
/// often name a wrong compression. Only one thread may use this object. Any thread may call
/// [#close], which ends the transfer at once.
final class LayerEntries implements Closeable {
  private final PulledBlob blob;
  private final Beside beside;
  private final TarReader entries;
  private final boolean compressed;

  private LayerEntries(
      PulledBlob blob, InputStream tar, boolean compressed, ExpansionLimit allowance) {
    this.blob = blob;
    this.compressed = compressed;
    this.beside = new Beside(tar, allowance);
    this.entries = new TarReader(beside);
  }

  /// Starts pulling a layer.
  ///
  /// @throws UnsupportedFeatureException if the media type means that the layer is encrypted, is
  ///   not in the registry, or must not be copied from the registry
  static LayerEntries open(LayerSource source, int index, ExpansionLimit allowance)
      throws IOException {
    Descriptor layer = source.layer(index);
    MediaTypes.requireReadable(layer, "Layer " + layer.digest() + " would have to be searched;");
    PulledBlob blob = source.pull(index, allowance::pulled);
    return source.read(
        index,
        blob,
        () -> {
          SniffedStream head = SniffedStream.open(blob.content());
          return head.sniffed() instanceof Sniffed.Compressed(var compression)
              ? new LayerEntries(blob, inflate(compression, head), true, allowance)
              : new LayerEntries(blob, head, false, allowance);
        });
  }

  /// Starts decompressing on the thread `inflate`.
  static InputStream inflate(Compression compression, InputStream pulled) {
    return ReadAheadStream.start(
        Decompressor.open(compression, pulled, DecoderMemory.SMALL), "inflate");
  }

  /// Returns the next entry; empty at the end.
  Optional<TarEntry> next() throws IOException {
    beside.counts = true;
    return TarEntry.next(entries);
  }

  /// Returns the offset of the current entry's data in the layer. The result is empty for a
  /// compressed layer and for a sparse file, because their data is not stored unchanged.
  OptionalLong storedOffset() {
    return compressed ? OptionalLong.empty() : entries.dataOffset();
  }

  /// Returns a number of decompressed bytes of the layer that can be read without blocking. More
  /// bytes may be available.
  int available() throws IOException {
    return entries.available();
  }

  /// Reads data of the current entry, which must be the disk; returns -1 at the end of the entry.
  int readDisk(byte[] target, int offset, int length) throws IOException {
    beside.counts = false;
    return entries.read(target, offset, length);
  }

  /// Reads the rest of the layer after the last entry, and thereby verifies the checksums of the
  /// compressed stream, and the digest and size of the layer.
  void finish() throws IOException {
    beside.counts = true;
    entries.drain();
    if (!blob.complete()) {
      throw new MalformedImageException(
          "layer", -1, "expected its end after the compressed stream, found more bytes");
    }
  }

  @Override
  public void close() throws IOException {
    try (blob) {
      entries.close();
    }
  }

  /// Counts the bytes that do not belong to the disk.
  private static final class Beside extends ForwardingInputStream {
    private final ExpansionLimit allowance;
    private boolean counts = true;

    Beside(InputStream tar, ExpansionLimit allowance) {
      super(tar);
      this.allowance = allowance;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = in.read(target, offset, length);
      if (counts && count > 0) {
        allowance.unpacked(count);
      }
      return count;
    }
  }
}

package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.SniffedStream;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.TarEntries;
import dev.pvcpopulators.diskimage.archive.TarEntry;
import dev.pvcpopulators.diskimage.compression.DecoderMemory;
import dev.pvcpopulators.diskimage.compression.Decompressor;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.layer.PulledBlob;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// A layer that is being pulled, decompressed and taken apart, each on a thread of its own: `pull`
/// (which also hashes) and `inflate`; the tar is read by the caller's.
///
/// How it is compressed is told by its magic number: media types name the wrong compression often
/// enough. For one thread; [#close] may come from any and ends the transfer at once.
final class LayerEntries implements Closeable {
  private final PulledBlob blob;
  private final Beside beside;
  private final TarEntries entries;
  private final boolean compressed;

  private LayerEntries(PulledBlob blob, InputStream tar, boolean compressed, Allowance allowance) {
    this.blob = blob;
    this.compressed = compressed;
    this.beside = new Beside(tar, allowance);
    this.entries = new TarEntries(beside);
  }

  /// Begins to pull a layer.
  ///
  /// @throws UnsupportedFeatureException if its media type says that it cannot be had
  static LayerEntries open(LayerSource source, int index, Allowance allowance) throws IOException {
    Descriptor layer = source.layer(index);
    if (LayerTypes.foreign(layer) || LayerTypes.encrypted(layer)) {
      throw new UnsupportedFeatureException(
          "Layer "
              + layer.digest()
              + " would have to be searched; it is "
              + (LayerTypes.encrypted(layer) ? "encrypted" : "not distributed with the image")
              + ": "
              + Quoted.of(layer.mediaType()));
    }
    PulledBlob blob = source.pull(index, allowance::pulled);
    try {
      SniffedStream head = SniffedStream.open(blob.content());
      return head.sniffed() instanceof Sniffed.Compressed(var compression)
          ? new LayerEntries(blob, inflate(compression, head), true, allowance)
          : new LayerEntries(blob, head, false, allowance);
    } catch (MalformedImageException e) {
      throw source.judged(index, blob, e);
    } catch (Throwable e) {
      try (blob) {
        throw e;
      }
    }
  }

  private static InputStream inflate(Compression compression, InputStream pulled) {
    return ReadAheadStream.start(
        Decompressor.open(compression, pulled, DecoderMemory.SMALL), "inflate");
  }

  /// The next entry; empty behind the last.
  Optional<TarEntry> next() throws IOException {
    beside.counts = true;
    return entries.next();
  }

  /// Where the current entry's data begins in the layer; empty if it is not stored as it is: in a
  /// compressed layer, and of a sparse file.
  OptionalLong storedOffset() {
    return compressed ? OptionalLong.empty() : entries.dataOffset();
  }

  /// Bytes of the layer, decompressed, that can be read without waiting.
  int available() throws IOException {
    return entries.available();
  }

  /// Data of the current entry, the disk; -1 at its end.
  int readDisk(byte[] target, int offset, int length) throws IOException {
    beside.counts = false;
    return entries.read(target, offset, length);
  }

  /// Reads the layer to its end, behind the last entry, so that all checksums, the digest and the
  /// size have been verified.
  void finish() throws IOException {
    beside.counts = true;
    entries.drain();
    if (!blob.complete()) {
      throw new MalformedImageException(
          "layer", -1, "expected its compressed stream to be all of it, found more behind it");
    }
  }

  @Override
  public void close() throws IOException {
    try (blob) {
      entries.close();
    }
  }

  /// Counts what is not the disk.
  private static final class Beside extends BulkInputStream {
    private final InputStream tar;
    private final Allowance allowance;
    private boolean counts = true;

    Beside(InputStream tar, Allowance allowance) {
      this.tar = tar;
      this.allowance = allowance;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = tar.read(target, offset, length);
      if (counts && count > 0) {
        allowance.unpacked(count);
      }
      return count;
    }

    @Override
    public int available() throws IOException {
      return tar.available();
    }

    @Override
    public void close() throws IOException {
      tar.close();
    }
  }
}

package dev.pvcpopulators.registry.layer;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.SniffedStream;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.compression.DecoderMemory;
import dev.pvcpopulators.diskimage.compression.Decompressor;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import dev.pvcpopulators.registry.BlobOpener;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.MediaTypes;
import dev.pvcpopulators.registry.TransferListener;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// A layer in transfer. The thread `pull` reads the layer into a ring buffer of 4 MiB. The first
/// call of [#tar] starts two further threads: `inflate` decompresses the layer, and `hash` hashes
/// the tar. Each of these two threads has a smaller ring buffer.
///
/// The magic number at the beginning of the layer determines the compression, because media types
/// often name a wrong compression. Only one thread may use this object. Any thread may call
/// [#close], which ends the transfer at once.
public final class LayerBlob implements Closeable {
  private static final int BUFFER_COUNT = 4;
  private static final int BUFFER_LENGTH = 512 << 10;

  private final Descriptor layer;
  private final PulledBlob pulled;
  private volatile boolean dropped;
  private volatile @Nullable ReadAheadStream tar;

  private LayerBlob(Descriptor layer, PulledBlob pulled) {
    this.layer = layer;
    this.pulled = pulled;
  }

  /// Starts pulling. If the transfer fails, reading the tar throws the exception.
  ///
  /// @param blobs the store of the layers; the caller closes it
  /// @param listener receives the count of the received bytes
  /// @throws UnsupportedFeatureException if the media type means that the layer is encrypted, is
  ///   not in the registry, or must not be copied from the registry
  public static LayerBlob pull(Descriptor layer, BlobOpener blobs, TransferListener listener)
      throws UnsupportedFeatureException {
    MediaTypes.requireReadable(layer, "Cannot pull layer " + layer.digest() + ":");
    return new LayerBlob(layer, PulledBlob.start(new LazyBlobStream(layer, blobs, listener)));
  }

  /// Returns the layer's tar; the first call starts the decompression. The tar ends with -1 only if
  /// the blob matches the layer's digest and size, and the tar matches the diff ID. If the digest,
  /// the size or the diff ID does not match, a read throws a
  /// [dev.pvcpopulators.http.DigestMismatchException]. A read throws another IOException if the
  /// transfer or the decompression fails, or if the blob has more bytes after the compressed
  /// stream.
  ///
  /// @return a stream that [#close] closes
  public InputStream tar(Digest diffId) {
    ReadAheadStream begun = tar;
    if (begun == null) {
      begun =
          stage(new DiffIdStream(stage(new Decoded(), "inflate"), layer.digest(), diffId), "hash");
      tar = begun;
    }
    return begun;
  }

  private static ReadAheadStream stage(InputStream upstream, String name) {
    return ReadAheadStream.start(upstream, name, () -> {}, BUFFER_COUNT, BUFFER_LENGTH);
  }

  /// Ends the transfer. Does not interrupt a read, because an interrupt during the read of a file
  /// closes the file's channel for all readers of the file. Must be called by the thread that reads
  /// [#tar].
  public void drop() throws IOException {
    dropped = true;
    try (this) {
      if (tar == null) {
        pulled.drop();
      } else {
        pulled.end();
        PulledBlob.drain(tar);
      }
    }
  }

  @Override
  public void close() throws IOException {
    ReadAheadStream begun = tar;
    try (pulled) {
      if (begun != null) {
        begun.close();
      }
    }
  }

  /// The tar, decompressed if necessary. The first read opens the tar.
  private final class Decoded extends BulkInputStream {
    private @Nullable InputStream stream;

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (dropped) {
        throw new IOException("The layer is no longer needed");
      }
      if (stream == null) {
        SniffedStream head = SniffedStream.open(pulled.content());
        stream =
            head.sniffed() instanceof Sniffed.Compressed(var compression)
                ? Decompressor.open(compression, head, DecoderMemory.SMALL)
                : head;
      }
      int count = stream.read(target, offset, length);
      if (count < 0 && !pulled.complete()) {
        throw new IOException("The end of layer " + layer.digest() + " was not reached");
      }
      return count;
    }

    @Override
    public void close() throws IOException {
      if (stream != null) {
        stream.close();
      }
    }
  }
}

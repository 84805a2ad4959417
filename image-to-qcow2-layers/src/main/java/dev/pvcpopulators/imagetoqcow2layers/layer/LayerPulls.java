package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.DamageDetectingBlobStore;
import dev.pvcpopulators.registry.layer.LayerBlob;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Pulls an image's layers: up to three at the same time, each into a bounded buffer. Thus the
/// first bytes of a layer have usually arrived when the previous layer has been applied. Only one
/// layer is decompressed at a time: the decompression of a layer starts after the decompression of
/// the previous layer has ended.
///
/// Only one thread may use this object, but any thread may call [#close].
public final class LayerPulls implements Closeable {
  /// The maximum number of concurrent pulls; each one holds a connection and the buffer of
  /// [LayerBlob].
  private static final int AT_ONCE = 3;

  private final List<LayerSource> layers;
  private final DamageDetectingBlobStore blobs;
  private final LayerListener listener;

  // The started pulls, in the order in which their layers are needed. The lock of `this` guards
  // this field and the next three fields.
  private final Deque<LayerBlob> begun = new ArrayDeque<>();
  private @Nullable LayerBlob current;
  private int taken;
  private boolean closed;

  private LayerPulls(
      List<LayerSource> layers, DamageDetectingBlobStore blobs, LayerListener listener) {
    this.layers = List.copyOf(layers);
    this.blobs = blobs;
    this.listener = listener;
  }

  /// Starts the first pulls.
  ///
  /// @param layers the layers, in the order of their use
  /// @param blobs the store of the layers' blobs; the caller closes it
  /// @throws UnsupportedFeatureException if the media type of one of the first three layers is not
  ///   supported; [#next] and [#skip] throw this exception for later layers
  public static LayerPulls start(List<LayerSource> layers, BlobStore blobs, LayerListener listener)
      throws IOException {
    LayerPulls pulls = new LayerPulls(layers, new DamageDetectingBlobStore(blobs), listener);
    try {
      pulls.begin();
      return pulls;
    } catch (IOException e) {
      try (pulls) {
        throw e;
      }
    }
  }

  private synchronized void begin() throws IOException {
    requireOpen();
    int onTheWay = begun.size() + (current == null ? 0 : 1);
    int index = taken + begun.size();
    for (; onTheWay < AT_ONCE && index < layers.size(); onTheWay++, index++) {
      LayerSource layer = layers.get(index);
      begun.add(
          LayerBlob.pull(layer.descriptor(), blobs, bytes -> listener.received(layer, bytes)));
    }
  }

  /// Returns the tar of the next layer. A read returns the end of the stream only if the blob has
  /// the expected digest and size, and the tar has the expected diff ID. If the digest, the size or
  /// the diff ID does not match, a read throws a [dev.pvcpopulators.http.DigestMismatchException].
  /// If the transfer or the decompression fails, a read throws another [IOException].
  ///
  /// @return a stream that is valid until the next call of [#next], [#skip] or [#close]; closing
  ///   the stream ends the transfer of its layer
  /// @throws NoSuchElementException after the last layer
  public InputStream next() throws IOException {
    LayerSource layer = advance();
    LayerBlob blob;
    synchronized (this) {
      blob = first();
      current = blob;
    }
    begin();
    return new Tar(blob, layer);
  }

  /// Skips the next layer, and ends its transfer.
  ///
  /// @throws NoSuchElementException after the last layer
  public void skip() throws IOException {
    advance();
    first().drop();
    begin();
  }

  private synchronized LayerBlob first() throws IOException {
    requireOpen();
    return begun.remove();
  }

  private synchronized void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("The transfers were ended");
    }
  }

  /// Ends all transfers, and determines whether the layer that [#next] returned last was damaged in
  /// transit; see [DamageDetectingBlobStore#judged]. May be called at most once.
  ///
  /// @return a [dev.pvcpopulators.http.DigestMismatchException] if the layer was damaged in
  ///   transit; otherwise the given failure
  public IOException judged(MalformedImageException failure) {
    int last;
    synchronized (this) {
      last = taken - 1;
    }
    return last < 0 ? failure : blobs.judged(layers.get(last).descriptor().digest(), this, failure);
  }

  /// Ends the transfer of the previous layer, starts further pulls, and returns the next layer.
  private LayerSource advance() throws IOException {
    LayerBlob done;
    synchronized (this) {
      if (taken == layers.size()) {
        throw new NoSuchElementException("There are " + taken + " layers");
      }
      done = current;
      current = null;
    }
    if (done != null) {
      done.drop();
    }
    begin();
    synchronized (this) {
      return layers.get(taken++);
    }
  }

  private void decompressNext() {
    synchronized (this) {
      if (!closed && !begun.isEmpty()) {
        var _ = begun.getFirst().tar(layers.get(taken).diffId());
      }
    }
  }

  /// Ends all transfers. Any thread may call this method.
  @Override
  public void close() throws IOException {
    Deque<LayerBlob> left;
    synchronized (this) {
      closed = true;
      left = new ArrayDeque<>(begun);
      if (current != null) {
        left.add(current);
      }
      begun.clear();
      current = null;
    }
    closeAll(left);
  }

  private static void closeAll(Deque<LayerBlob> blobs) throws IOException {
    while (!blobs.isEmpty()) {
      try (LayerBlob _ = blobs.remove()) {
        closeAll(blobs);
      }
    }
  }

  /// A layer's tar. Each read reports its number of bytes to the listener. At the end of the tar,
  /// the decompression of the next layer starts.
  private final class Tar extends BulkInputStream {
    private final LayerBlob blob;
    private final LayerSource layer;
    private final InputStream tar;

    Tar(LayerBlob blob, LayerSource layer) {
      this.blob = blob;
      this.layer = layer;
      tar = blob.tar(layer.diffId());
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = tar.read(target, offset, length);
      if (count > 0) {
        listener.applied(layer, count);
      } else if (count < 0) {
        decompressNext();
      }
      return count;
    }

    @Override
    public int available() throws IOException {
      return tar.available();
    }

    @Override
    public void close() throws IOException {
      blob.drop();
    }
  }
}

package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.layer.LayerBlob;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// Layers of one image on their way: three of them at once, each into a bounded buffer, so that the
/// next one's first bytes are here when the one before has been applied. Only one is decompressed,
/// and the next one from when its tar was read to its end.
///
/// For one thread; [#close] may come from any.
public final class LayerPulls implements Closeable {
  /// Each keeps a connection and [dev.pvcpopulators.registry.layer.LayerBlob]'s ring.
  private static final int AT_ONCE = 3;

  private final List<LayerSource> layers;
  private final BlobStore blobs;
  private final LayerListener listener;

  // Guarded by this: begun ones in order, the first of which is the next that will be wanted.
  private final Deque<LayerBlob> begun = new ArrayDeque<>();
  private @Nullable LayerBlob current;
  private int taken;
  private boolean closed;

  private LayerPulls(List<LayerSource> layers, BlobStore blobs, LayerListener listener) {
    this.layers = List.copyOf(layers);
    this.blobs = blobs;
    this.listener = listener;
  }

  /// Begins to pull.
  ///
  /// @param layers in the order in which they will be wanted
  /// @param blobs stays the caller's
  /// @throws UnsupportedFeatureException where the media type of one of the first says that it
  ///   cannot be had
  public static LayerPulls start(List<LayerSource> layers, BlobStore blobs, LayerListener listener)
      throws IOException {
    LayerPulls pulls = new LayerPulls(layers, blobs, listener);
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
    if (closed) {
      throw new IOException("The transfers were ended");
    }
    int onTheWay = begun.size() + (current == null ? 0 : 1);
    int index = taken + begun.size();
    for (; onTheWay < AT_ONCE && index < layers.size(); onTheWay++, index++) {
      LayerSource layer = layers.get(index);
      begun.add(
          LayerBlob.pull(layer.descriptor(), blobs, bytes -> listener.received(layer, bytes)));
    }
  }

  /// The tar of the next layer. It ends with -1 only where the blob's digest and size and the tar's
  /// diff ID are what they should be; else with a
  /// [dev.pvcpopulators.registry.DigestMismatchException].
  ///
  /// @return valid until the next call; closing it ends its transfer
  /// @throws NoSuchElementException behind the last
  public InputStream next() throws IOException {
    LayerSource layer = advance();
    LayerBlob blob;
    synchronized (this) {
      blob = begun.remove();
      current = blob;
    }
    begin();
    return new Tar(blob, layer);
  }

  /// Passes over the next layer: nobody wants it any more.
  public void skip() throws IOException {
    advance();
    LayerBlob blob;
    synchronized (this) {
      blob = begun.remove();
    }
    blob.drop();
    begin();
  }

  /// Ends what was read before, makes sure that the next one is on its way, and counts it as taken.
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

  /// Ends all transfers. From any thread.
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

  /// A layer's tar, counted as it is read.
  private final class Tar extends InputStream {
    private final LayerBlob blob;
    private final LayerSource layer;
    private final InputStream tar;

    Tar(LayerBlob blob, LayerSource layer) {
      this.blob = blob;
      this.layer = layer;
      tar = blob.tar(layer.diffId());
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
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

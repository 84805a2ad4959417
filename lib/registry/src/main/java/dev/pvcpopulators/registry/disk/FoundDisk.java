package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.registry.BlobRest;
import dev.pvcpopulators.registry.Descriptor;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A disk that is there to be read, once without another pull, and again with one.
public final class FoundDisk implements Closeable {
  private final Descriptor layer;
  private final String path;
  private final OptionalLong length;
  private final Optional<StoredRange> stored;
  private final List<Descriptor> searched;
  private final BlobRest blobs;
  private final AtomicReference<@Nullable InputStream> first;
  private final Pull again;
  private final List<InputStream> opened = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /// Pulls the layer again, up to the disk.
  @FunctionalInterface
  interface Pull {
    InputStream open() throws IOException;
  }

  /// @param blobs what the layer is pulled from
  /// @param first stands at the disk's first byte; owned from now on
  FoundDisk(
      Descriptor layer,
      String path,
      OptionalLong length,
      Optional<StoredRange> stored,
      List<Descriptor> searched,
      BlobRest blobs,
      InputStream first,
      Pull again) {
    this.layer = layer;
    this.path = path;
    this.length = length;
    this.stored = stored;
    this.searched = List.copyOf(searched);
    this.blobs = blobs;
    this.first = new AtomicReference<>(first);
    this.again = again;
  }

  /// The layer that has it.
  public Descriptor layer() {
    return layer;
  }

  /// Where it is in the image, absolute and behind all links; an artifact's file name or disk name
  /// without a `/` in front, or its digest if it has none. From outside: not to be opened, and not
  /// fit for messages.
  public String path() {
    return path;
  }

  /// Bytes that [#open] gives, as far as they are known before.
  public OptionalLong length() {
    return length;
  }

  /// Where the disk's bytes lie as [#open] gives them, so that parts of them can be had out of
  /// order. Empty if the layer is compressed, or the disk a sparse entry of it, or an artifact that
  /// begins like a compressed stream.
  ///
  /// They are the file's bytes, not the guest's: the file of a tar layer can be a qcow2, or be
  /// compressed once more, which its decoder detects.
  public Optional<StoredRange> stored() {
    return stored;
  }

  /// The layers that were pulled, at least to the disk, each once, in the order in which they were
  /// pulled last; the disk's is the last.
  public List<Descriptor> searched() {
    return searched;
  }

  /// The disk's bytes, as they are in the image: which format they have, and whether they are
  /// compressed once more, is for the reader to find out.
  ///
  /// The first call continues the stream in which the disk was found. Each later one pulls the
  /// layer again, and blocks until the disk comes; an interrupt ends that.
  ///
  /// **Reading ends with -1 only when the layer was read to its end, its digest and size were
  /// verified, and nothing in it spoke against this being the one disk.** Before that, nothing must
  /// be published.
  ///
  /// @return owned by the caller. Closing it early ends the transfer at once, also from another
  ///   thread while one reads
  public InputStream open() throws IOException {
    if (closed) {
      throw closedByUs();
    }
    @Nullable InputStream stream = first.getAndSet(null);
    if (stream == null) {
      stream = again.open();
    }
    opened.add(stream);
    if (closed) {
      stream.close();
      throw closedByUs();
    }
    return stream;
  }

  /// As [#open], for a decoder whose failure is to be [#judged]: closing the stream before its end
  /// leaves the transfer to [#close].
  public InputStream openUntilJudged() throws IOException {
    return new UntilJudged(open());
  }

  /// Judges the failure of what decodes the disk: reads the rest of its layer, no more than the
  /// announced size, and compares the digest. Must be called once at most.
  ///
  /// @return the failure, or a [DigestMismatchException] if the layer was damaged in transit. This
  ///   disk is closed then
  public IOException judged(MalformedImageException failure) {
    return blobs.judged(layer.digest(), this, failure);
  }

  private static IOException closedByUs() {
    return new IOException("The disk is closed");
  }

  /// Ends all transfers, those of opened streams included.
  @Override
  public void close() throws IOException {
    closed = true;
    @Nullable InputStream unopened = first.getAndSet(null);
    if (unopened != null) {
      opened.add(unopened);
    }
    IOException failure = null;
    for (InputStream stream : opened) {
      try {
        stream.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /// Is closed by its reader at its end only.
  private static final class UntilJudged extends FilterInputStream {
    private volatile boolean ended;

    UntilJudged(InputStream disk) {
      super(disk);
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      if (value < 0) {
        ended = true;
      }
      return value;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = super.read(target, offset, length);
      if (count < 0) {
        ended = true;
      }
      return count;
    }

    @Override
    public long transferTo(OutputStream out) throws IOException {
      long count = in.transferTo(out);
      ended = true;
      return count;
    }

    @Override
    public void close() throws IOException {
      if (ended) {
        super.close();
      }
    }
  }
}

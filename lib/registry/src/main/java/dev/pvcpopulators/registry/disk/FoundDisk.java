package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.Closing;
import dev.pvcpopulators.diskimage.ForwardingInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.registry.DamageDetectingBlobStore;
import dev.pvcpopulators.registry.Descriptor;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A disk that was found and can be read. The first call of [#open] continues the pull in which the
/// disk was found; each later call starts a new pull.
public final class FoundDisk implements Closeable {
  private final String path;
  private final OptionalLong length;
  private final Optional<StoredRange> stored;
  private final List<Descriptor> searched;
  private final DamageDetectingBlobStore blobs;
  private final AtomicReference<@Nullable InputStream> first;
  private final Pull again;
  private final List<InputStream> opened = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /// Pulls the layer again.
  @FunctionalInterface
  interface Pull {
    /// Returns a stream of the disk's bytes, from the first byte on.
    InputStream open() throws IOException;
  }

  /// Creates a disk.
  ///
  /// @param searched the pulled layers, each once; the last of them contains the disk
  /// @param blobs the store of the layer
  /// @param first the stream of the disk's bytes for the first call of [#open]; owned by this
  ///   object from now on
  FoundDisk(
      String path,
      OptionalLong length,
      Optional<StoredRange> stored,
      List<Descriptor> searched,
      DamageDetectingBlobStore blobs,
      InputStream first,
      Pull again) {
    this.path = path;
    this.length = length;
    this.stored = stored;
    this.searched = List.copyOf(searched);
    this.blobs = blobs;
    this.first = new AtomicReference<>(first);
    this.again = again;
  }

  /// Returns the layer that contains the disk.
  public Descriptor layer() {
    return searched.getLast();
  }

  /// Returns the disk's path in the image, absolute and with all links resolved. For an artifact,
  /// returns the disk's name in KubeVirt's annotation, or else the last component of the layer's
  /// title, or else the layer's digest. For an artifact, no `/` is added before the name or digest.
  /// The path is untrusted: do not open it, and do not use it in messages.
  public String path() {
    return path;
  }

  /// Returns the number of bytes that [#open] will return, if known in advance.
  public OptionalLong length() {
    return length;
  }

  /// Returns the range in which the layer's blob stores exactly the bytes that [#open] returns.
  /// Parts of this range can be read out of order. The result is empty in these cases: the layer is
  /// compressed; the disk is a sparse entry of a tar; the disk is a complete layer of an artifact,
  /// and begins like a compressed stream; or the disk's length in the tar header or in KubeVirt's
  /// annotation contradicts the layer's size.
  ///
  /// The range stores the file's bytes, not the bytes that a guest sees: the file can be a qcow2
  /// image, and a file in a tar layer can itself be compressed. The caller has to detect the format
  /// and the compression.
  public Optional<StoredRange> stored() {
    return stored;
  }

  /// Returns the pulled layers, each once, in the order of their last pull. The last layer contains
  /// the disk. At least the bytes before the disk were pulled from that layer.
  public List<Descriptor> searched() {
    return searched;
  }

  /// Opens the bytes of the disk's file. The caller has to detect the format of the file, and
  /// whether the file itself is compressed.
  ///
  /// The first call continues the stream in which the disk was found. Each later call pulls the
  /// layer again, and blocks until the beginning of the disk arrives; an interrupt ends the wait.
  ///
  /// **Reading ends with -1 only if the layer was read to its end, and its digest and size were
  /// verified.** If a later entry of the layer shows that this is not the only disk, reading ends
  /// with an exception. Publish nothing before -1 is returned.
  ///
  /// @return a stream that the caller owns. Closing the stream early ends the transfer at once,
  ///   even while another thread reads
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

  /// Opens the disk like [#open], for a decoder whose failure may be passed to [#judged]. If the
  /// decoder closes the stream before its end, the transfer stays open until [#judged] or [#close].
  public InputStream openUntilJudged() throws IOException {
    return new UntilJudged(open());
  }

  /// Determines the cause of a decoder's failure: reads the rest of the layer, within the limits of
  /// [DamageDetectingBlobStore#judged], and compares the digest. Closes this disk. Must be called
  /// at most once.
  ///
  /// @return the failure, or a [dev.pvcpopulators.http.DigestMismatchException] if the layer was
  ///   damaged in transit
  public IOException judged(MalformedImageException failure) {
    return blobs.judged(layer().digest(), this, failure);
  }

  private static IOException closedByUs() {
    return new IOException("The disk is closed");
  }

  /// Ends all transfers, including those of opened streams.
  @Override
  public void close() throws IOException {
    closed = true;
    @Nullable InputStream unopened = first.getAndSet(null);
    if (unopened != null) {
      opened.add(unopened);
    }
    Closing.all(opened);
  }

  /// A stream whose [#close] has no effect until the stream has been read to its end.
  private static final class UntilJudged extends ForwardingInputStream {
    private volatile boolean ended;

    UntilJudged(InputStream disk) {
      super(disk);
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

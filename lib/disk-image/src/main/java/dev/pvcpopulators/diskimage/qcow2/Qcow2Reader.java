package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// Decodes a qcow2 image in one forward pass (QEMU docs/interop/qcow2, versions 2 and 3).
///
/// Memory depends on the limits and on the L1 table (at most 32 MiB), not on the image's size. A
/// reader may decode any number of images, also at the same time.
public final class Qcow2Reader {
  private final Qcow2Limits limits;
  private final Supplier<ClusterInflater> deflate;

  /// A reader that undoes deflate with the fastest library that this machine has.
  public Qcow2Reader(Qcow2Limits limits) {
    this(limits, ClusterInflater::open);
  }

  /// @param deflate makes an inflater of raw deflate (RFC 1951) for each worker and one more; the
  ///   reader closes them
  public Qcow2Reader(Qcow2Limits limits, Supplier<ClusterInflater> deflate) {
    this.limits = limits;
    this.deflate = deflate;
  }

  /// Decodes the image that begins with the source's next byte, and reads the source to its end,
  /// also where bytes follow the image. Closes neither source nor sink.
  ///
  /// @param sourceLength bytes of the source where known: mappings beyond it are refused at once
  /// @param sink gets the virtual size before anything else, then each mapped byte once
  /// @return the virtual size in bytes, a multiple of 512 as QEMU sees it
  /// @throws MalformedImageException when the image contradicts the specification or is cut
  /// @throws UnsupportedFeatureException for a backing file, an external data file, encryption, an
  ///   unknown version, feature or compression, or an image that is too fragmented for the limits
  /// @throws IOException from the source or the sink
  public long decode(InputStream source, OptionalLong sourceLength, DiskSink sink)
      throws IOException {
    byte[] prefix = source.readNBytes(Qcow2Format.HEADER_LENGTH_KNOWN);
    Qcow2Header header = Qcow2Header.read(ByteBuffer.wrap(prefix));
    PushbackInputStream whole = new PushbackInputStream(source, prefix.length);
    whole.unread(prefix);
    Window window = new Window(whole, header.clusterBits(), limits.windowLength());
    window.advance();
    ByteBuffer cluster =
        ByteBuffer.wrap(window.ring(), 0, (int) Math.min(header.clusterSize(), window.end()));
    HeaderExtensions.read(cluster, header.headerLength(), header.clusterSize())
        .requireKnown(header.features());
    sink.expect(header.guestSize());

    HostClaims claims = new HostClaims(header.clusterBits(), limits.trackingLength());
    LookBack passed = new LookBack(window, claims, sink, sourceLength, header.clusterSize());
    try (CompressedClusters compressed =
        new CompressedClusters(
            header, passed, window, claims, sink, limits.workers(), inflaters(header))) {
      new ForwardPass(
              header,
              sourceLength,
              window,
              claims,
              passed,
              compressed,
              sink,
              new PendingRuns(limits.pendingRuns()))
          .run();
    }
    return header.guestSize();
  }

  private Supplier<ClusterInflater> inflaters(Qcow2Header header) {
    return switch (header.compression()) {
      case ZLIB -> deflate;
      case ZSTD -> ZstdClusterInflater::new;
    };
  }
}

package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// Decodes a qcow2 image (versions 2 and 3, QEMU docs/interop/qcow2) in one forward pass, or in a
/// few passes if the source can be read again.
///
/// Memory depends on the limits, on the cluster size and on the L1 table (at most 32 MiB), not on
/// the image's size. A reader may decode any number of images, also concurrently.
public final class Qcow2Reader {
  private final Qcow2Limits limits;
  private final Supplier<ClusterInflater> deflate;

  /// Creates a reader that inflates with the fastest available library.
  public Qcow2Reader(Qcow2Limits limits) {
    this(limits, ClusterInflater::open);
  }

  /// Creates a reader with the given inflaters.
  ///
  /// @param deflate creates inflaters for raw deflate (RFC 1951); the reader closes the inflaters.
  ///   For each image, the reader creates at most [Qcow2Limits#workers] + 1 inflaters
  public Qcow2Reader(Qcow2Limits limits, Supplier<ClusterInflater> deflate) {
    this.limits = limits;
    this.deflate = deflate;
  }

  /// Decodes the image that begins with the source's next byte, and reads the source to its end,
  /// even if bytes follow the image. Closes neither source nor sink.
  ///
  /// If data has arrived, and the L2 table that maps the data has been processed, the data reaches
  /// the sink before this method waits for more of the source. Compressed clusters are collected
  /// for the worker threads. If the source's `available()` is 0, the next read may block.
  /// Therefore, the collected clusters reach the sink before that read.
  ///
  /// @param sourceLength bytes of the source, if known. If the length is known, a mapping beyond
  ///   the end of the source is refused when its table is processed
  /// @param sink receives the virtual size before anything else, then each mapped byte once. Zeros
  ///   are announced when the L1 entry or L2 table that defines them is processed
  /// @return the virtual size in bytes, rounded down to a multiple of 512 as in QEMU
  /// @throws MalformedImageException if the image violates the specification or is truncated
  /// @throws UnsupportedFeatureException for a backing file, an external data file, encryption, an
  ///   unknown version, feature or compression, an image that is too fragmented for the limits, or
  ///   a source that is longer than any plausible image of the disk
  /// @throws IOException from the source or the sink
  public long decode(InputStream source, OptionalLong sourceLength, DiskSink sink)
      throws IOException {
    try (Decoding decoding = Decoding.begin(source, sourceLength, sink, limits, deflate, true)) {
      decoding.first();
      return decoding.guestSize();
    }
  }

  /// Reads the header of an image and its extensions, and validates their fields as [#decode] does.
  /// May read more of the source than the header and its extensions; does not close the source.
  ///
  /// @return the virtual size in bytes, rounded down to a multiple of 512
  /// @throws MalformedImageException if the header violates the specification or is truncated
  /// @throws UnsupportedFeatureException as for [#decode]
  public long guestSize(InputStream source) throws IOException {
    return Decoding.Beginning.read(source, 0).header().guestSize();
  }

  /// Prepares the decoding of an image from a source that can be read again, so that the sink never
  /// has to stage data. The virtual size, bytes and zeros reach the sink as in [#decode].
  ///
  /// @param sink the sink of the disk; the caller closes it
  public Qcow2Passes passes(DiskSink sink) {
    return new Qcow2Passes(limits, deflate, sink);
  }
}

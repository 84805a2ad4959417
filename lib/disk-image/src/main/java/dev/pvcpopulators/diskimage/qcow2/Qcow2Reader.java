package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// Decodes a qcow2 image in one forward pass (QEMU docs/interop/qcow2, versions 2 and 3), or in a
/// few where the source can be read again.
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
  /// even if bytes follow the image. Closes neither source nor sink.
  ///
  /// Data that has arrived reaches the sink before this method waits for more of the source, if a
  /// table that has arrived too maps it. Compressed clusters are an exception: they are collected
  /// for the worker threads as long as the source's `available()` is above 0.
  ///
  /// @param sourceLength bytes of the source, if known: mappings beyond it are refused at once
  /// @param sink gets the virtual size before anything else, then each mapped byte once. It learns
  ///   of zeros when the L1 entry or L2 table that says so has arrived
  /// @return the virtual size in bytes, a multiple of 512 as QEMU sees it
  /// @throws MalformedImageException when the image contradicts the specification or is cut
  /// @throws UnsupportedFeatureException for a backing file, an external data file, encryption, an
  ///   unknown version, feature or compression, or an image that is too fragmented for the limits
  /// @throws IOException from the source or the sink
  public long decode(InputStream source, OptionalLong sourceLength, DiskSink sink)
      throws IOException {
    try (Decoding decoding = Decoding.begin(source, sourceLength, sink, limits, deflate, true)) {
      decoding.first();
      return decoding.guestSize();
    }
  }

  /// Reads the header of an image, and refuses what [#decode] would refuse because of it. Does not
  /// close the source.
  ///
  /// @return the virtual size in bytes, a multiple of 512
  /// @throws MalformedImageException if the header contradicts the specification or is cut
  /// @throws UnsupportedFeatureException as [#decode]
  public long guestSize(InputStream source) throws IOException {
    return Decoding.Beginning.read(source, limits).header().guestSize();
  }

  /// Begins to decode an image whose source can be read again, so that the sink is never asked to
  /// stage. Sizes and bytes reach it as [#decode] hands them over.
  ///
  /// @param sink stays the caller's
  public Qcow2Passes passes(DiskSink sink) {
    return new Qcow2Passes(limits, deflate, sink);
  }
}

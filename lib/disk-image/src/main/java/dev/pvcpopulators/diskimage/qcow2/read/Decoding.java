package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import dev.pvcpopulators.diskimage.qcow2.format.HeaderExtensions;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Header;
import dev.pvcpopulators.diskimage.qcow2.format.ZstdClusterInflater;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// The components that decode one image into a disk. They are created after the header of the image
/// has been read.
final class Decoding implements AutoCloseable {
  private final Qcow2Header header;
  private final Window window;
  private final CompressedClusters compressed;
  private final ForwardPass forward;

  private Decoding(
      Qcow2Header header, Window window, CompressedClusters compressed, ForwardPass forward) {
    this.header = header;
    this.window = window;
    this.compressed = compressed;
    this.forward = forward;
  }

  /// Reads the header, and announces the size of the disk to the sink.
  ///
  /// @param source positioned at the first byte of the image
  /// @param deflate creates the inflaters of a zlib image; the returned object closes them
  /// @param staging true if data whose table comes later is staged; false if [#again] reads the
  ///   source again to get this data
  static Decoding begin(
      InputStream source,
      OptionalLong sourceLength,
      DiskSink sink,
      Qcow2Limits limits,
      Supplier<ClusterInflater> deflate,
      boolean staging)
      throws IOException {
    Beginning beginning = Beginning.read(source, limits.windowLength());
    Qcow2Header header = beginning.header();
    Window window = beginning.window();
    sink.expect(header.guestSize());

    HostClaims claims = new HostClaims(header.clusterBits(), limits.trackingLength());
    LookBack passed =
        new LookBack(window, claims, sink, sourceLength, header.clusterSize(), staging);
    Supplier<ClusterInflater> inflaters =
        switch (header.compression()) {
          case ZLIB -> deflate;
          case ZSTD -> ZstdClusterInflater::new;
        };
    CompressedClusters compressed =
        new CompressedClusters(header, passed, window, claims, sink, limits.workers(), inflaters);
    ForwardPass forward =
        new ForwardPass(
            header, sourceLength, window, claims, passed, compressed, sink, limits.pendingRuns());
    return new Decoding(header, window, compressed, forward);
  }

  /// The beginning of an image.
  ///
  /// @param window contains at least the first cluster, or the whole source if the source is
  ///   shorter; contains at most one chunk
  record Beginning(Qcow2Header header, Window window) {
    /// Reads the header and its extensions.
    ///
    /// @param windowLength bytes, as in [Qcow2Limits#windowLength]
    static Beginning read(InputStream source, int windowLength) throws IOException {
      byte[] prefix = source.readNBytes(Qcow2Format.HEADER_LENGTH_KNOWN);
      Qcow2Header header = Qcow2Header.read(ByteBuffer.wrap(prefix));
      PushbackInputStream whole = new PushbackInputStream(source, prefix.length);
      whole.unread(prefix);
      Window window = new Window(whole, header.clusterBits(), windowLength);
      window.advanceTo(header.clusterSize());
      ByteBuffer cluster =
          ByteBuffer.wrap(window.ring(), 0, (int) Math.min(header.clusterSize(), window.end()));
      HeaderExtensions.read(cluster, header.headerLength(), header.clusterSize())
          .requireKnown(header.features());
      return new Beginning(header, window);
    }
  }

  /// Reads the source to its end.
  void first() throws IOException {
    forward.run();
  }

  /// Reads the same source again, from its first byte to its end.
  ///
  /// @throws MalformedImageException if the header or the length differs from the first reading
  void again(InputStream source) throws IOException {
    long length = window.end();
    window.restart(source);
    window.advanceTo(Qcow2Format.HEADER_LENGTH_KNOWN);
    ByteBuffer prefix =
        ByteBuffer.wrap(
            window.ring(), 0, (int) Math.min(Qcow2Format.HEADER_LENGTH_KNOWN, window.end()));
    if (!Qcow2Header.read(prefix.slice()).equals(header)) {
      throw new MalformedImageException("qcow2 header", 0, "it differs from the first reading");
    }
    forward.repeat();
    if (window.end() != length) {
      throw new MalformedImageException(
          "source",
          window.end(),
          "its end was at byte " + length + " when it was read for the first time");
    }
  }

  /// Returns true if everything that the image maps has been written to the disk.
  boolean complete() {
    return forward.complete();
  }

  /// Returns the number of bytes that the guest sees.
  long guestSize() {
    return header.guestSize();
  }

  @Override
  public void close() {
    compressed.close();
  }
}

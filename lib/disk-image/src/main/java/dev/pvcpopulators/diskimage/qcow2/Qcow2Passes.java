package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Decodes one image out of a source that can be read again, without staging: data that comes
/// before the table that maps it is left out, noted, and taken from the next pass.
///
/// ```java
/// try (Qcow2Passes passes = reader.passes(sink)) {
///   while (!passes.complete()) {
///     // open the source
///     passes.read(source, length);
///   }
/// }
/// ```
///
/// An image as `qemu-img convert` writes it takes one pass. One that was resized later takes two:
/// its L1 table is at the end, all that it names is found in the second pass. One with a snapshot
/// that was written to takes two as well, both together take three. More are needed only where runs
/// are so many that memory bounds those of one pass.
///
/// For one thread at a time.
public final class Qcow2Passes implements AutoCloseable {
  /// Passes at most: what the order of tables can demand, and one more for scattered clusters.
  public static final int MAX_PASSES = 4;

  private final Qcow2Limits limits;
  private final Supplier<ClusterInflater> deflate;
  private final DiskSink sink;
  private @Nullable Decoding decoding;
  private int passes;

  Qcow2Passes(Qcow2Limits limits, Supplier<ClusterInflater> deflate, DiskSink sink) {
    this.limits = limits;
    this.deflate = deflate;
    this.sink = sink;
  }

  /// Reads the image once, from the source's next byte to its end, also where bytes follow the
  /// image. Closes neither source nor sink. After an exception the decoding cannot go on.
  ///
  /// The caller sees to it that each pass gets the same bytes. Checked here are the header, the
  /// length, and what the specification demands of the rest.
  ///
  /// @param sourceLength bytes of the source where known: mappings beyond it are refused at once
  /// @throws MalformedImageException when the image contradicts the specification, is cut, or is
  ///   not the one of the pass before
  /// @throws UnsupportedFeatureException as [Qcow2Reader#decode], and where [#MAX_PASSES] do not
  ///   suffice
  /// @throws IOException from the source or the sink
  public void read(InputStream source, OptionalLong sourceLength) throws IOException {
    passes++;
    if (decoding == null) {
      decoding = Decoding.begin(source, sourceLength, sink, limits, deflate, false);
      decoding.first();
    } else {
      decoding.again(source);
    }
    if (!complete() && passes == MAX_PASSES) {
      throw new UnsupportedFeatureException(
          "This image cannot be decoded in "
              + MAX_PASSES
              + " passes over its source: its tables come after the data that they map, and that"
              + " data is too scattered. Write it anew with qemu-img convert");
    }
  }

  /// True when everything that the image maps is in the disk; false before the first pass.
  public boolean complete() {
    return decoding != null && decoding.complete();
  }

  /// The virtual size in bytes, as [Qcow2Reader#decode] gives it; after the first pass.
  public long virtualSize() {
    if (decoding == null) {
      throw new IllegalStateException("The virtual size is known after the first pass");
    }
    return decoding.guestSize();
  }

  @Override
  public void close() {
    if (decoding != null) {
      decoding.close();
    }
  }
}

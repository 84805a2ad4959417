package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Decodes one image, without staging, from a source that can be read again. The [Window] keeps the
/// newest bytes of the source. If data leaves the window before its table arrives, the decoder
/// records the host range of the data when it processes the table, and reads the data in the next
/// pass.
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
/// An image written by `qemu-img convert` takes one pass. An image that was resized later takes two
/// passes: its L1 table is at the end of the file, and the second pass reads the L2 tables that the
/// L1 table names, and their data. An image that was written to after a snapshot also takes two
/// passes. An image with both changes takes three passes. More passes are needed only if one pass
/// exceeds the memory limit for runs ([Qcow2Limits#pendingRuns]).
///
/// Used by one thread at a time.
public final class Qcow2Passes implements AutoCloseable {
  /// Maximum number of passes. Three passes suffice for any order of tables and data. The fourth
  /// pass is for an image that exceeds the memory limit for runs.
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

  /// Reads the source once, from its next byte to its end, even if bytes follow the image. Closes
  /// neither source nor sink. After an exception, decoding cannot continue.
  ///
  /// The caller ensures that each pass gets the same bytes. This class checks that the header and
  /// the length are the same in each pass. It checks other bytes only against the specification.
  ///
  /// @param sourceLength bytes of the source, if known. If the length is known, a mapping beyond
  ///   the end of the source is refused when its table is processed. Only the value of the first
  ///   pass is used
  /// @throws MalformedImageException if the image violates the specification or is truncated, or if
  ///   the header or the length differs from that of the previous pass
  /// @throws UnsupportedFeatureException as for [Qcow2Reader#decode], and if [#MAX_PASSES] passes
  ///   are not enough
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

  /// Returns true if everything that the image maps is in the disk; false before the first pass.
  public boolean complete() {
    return decoding != null && decoding.complete();
  }

  /// Returns the virtual size in bytes, as [Qcow2Reader#decode] does; valid after the first pass.
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

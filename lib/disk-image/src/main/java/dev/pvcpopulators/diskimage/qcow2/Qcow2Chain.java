package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/// A stack of qcow2 files, each over the one below it, read as the disk that it is. For one thread.
///
/// The files are opened by the names that the caller gives; the backing file names inside them are
/// compared with those, and never opened.
@SuppressWarnings("DoNotCallSuggester")
public final class Qcow2Chain implements Closeable {
  private Qcow2Chain() {}

  /// Opens a stack.
  ///
  /// @param files from the bottom up; none for a disk of zeros
  /// @param virtualSize bytes that each of them must have
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException where one is damaged or of another
  ///   size, or does not name the one below it
  /// @throws dev.pvcpopulators.diskimage.UnsupportedFeatureException where one has what this reader
  ///   does not read
  public static Qcow2Chain open(List<Path> files, long virtualSize) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Bytes that the guest sees.
  public long virtualSize() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Fills a buffer with guest bytes.
  public void read(long guestOffset, ByteBuffer target) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// How many bytes from an offset on are known to be zeros because no file maps them, or the
  /// topmost that does says so; 0 where there may be data.
  public long zeros(long guestOffset) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Writes the whole disk, what is mapped only, in the order of guest offsets.
  public void copyTo(DiskSink sink) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  @Override
  public void close() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}

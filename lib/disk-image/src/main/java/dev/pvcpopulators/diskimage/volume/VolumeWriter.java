package dev.pvcpopulators.diskimage.volume;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Writes one disk into a volume. [#publish] completes the disk, flushes it to stable storage, and
/// makes it visible.
///
/// In a directory, [#close] removes a disk that was not published, with one exception: if
/// overwriting is allowed, and the flush of the directory fails in [#publish], the new disk stays.
/// If the disk was not published, and this writer has changed a block device, the first MiB of the
/// device is zero after [#close], and the bytes that were written beyond the first MiB remain.
///
/// [#cancel], [#guestBytes] and [#bytesWritten] are safe for any thread; everything else, including
/// [#close], is for one thread at a time.
public final class VolumeWriter implements DiskSink, AutoCloseable {
  private final Medium medium;
  private final Cancellation cancellation;
  private final AtomicLong guestBytes = new AtomicLong();
  private OptionalLong virtualSize = OptionalLong.empty();
  private long end;
  private long writtenTo;
  private boolean intact = true;
  private boolean finished;
  private volatile @Nullable SparseStore store;
  private @Nullable GuardedStaging staging;

  /// Creates a writer.
  ///
  /// @param medium closed with this writer
  VolumeWriter(Medium medium, Cancellation cancellation) {
    this.medium = medium;
    this.cancellation = cancellation;
  }

  @Override
  public void expect(long size) throws IOException {
    if (virtualSize.isPresent() || store != null) {
      throw new IllegalStateException("The virtual size is announced once, before the first write");
    }
    if (size < 0) {
      throw new IndexOutOfBoundsException("A disk of " + size + " bytes");
    }
    cancellation.check();
    medium.admit(size);
    virtualSize = OptionalLong.of(size);
    end = size;
    prepare();
  }

  @Override
  public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
    admit(guestOffset, length);
    SparseStore guest = prepare();
    change(() -> guest.write(guestOffset, MemorySegment.ofArray(source), offset, length));
    guestBytes.addAndGet(length);
  }

  private void admit(long guestOffset, long length) throws IOException {
    cancellation.check();
    long writtenEnd = Math.addExact(guestOffset, length);
    if (guestOffset < 0 || length < 0) {
      throw new IndexOutOfBoundsException(length + " bytes at guest offset " + guestOffset);
    }
    if (virtualSize.isPresent() && writtenEnd > virtualSize.getAsLong()) {
      throw new IndexOutOfBoundsException(
          length
              + " bytes at guest offset "
              + guestOffset
              + " of a disk of "
              + virtualSize.getAsLong());
    }
    medium.admitBytes(writtenEnd);
    end = Math.max(end, writtenEnd);
    writtenTo = Math.max(writtenTo, writtenEnd);
  }

  private SparseStore prepare() throws IOException {
    SparseStore ready = store;
    if (ready == null) {
      change(() -> medium.prepare(virtualSize));
      ready = medium.store();
      store = ready;
    }
    return ready;
  }

  /// A step that changes the disk.
  @FunctionalInterface
  private interface Change {
    void make() throws IOException;
  }

  /// Makes a change; after a failure the disk cannot be published.
  private void change(Change change) throws IOException {
    boolean before = intact;
    intact = false;
    try {
      change.make();
    } catch (SystemCallException e) {
      throw translate(e);
    }
    intact = before;
  }

  private IOException translate(SystemCallException e) {
    return ExceedsVolumeException.ifFull(e, end, medium.available());
  }

  @Override
  public Staging staging(OptionalLong hostLength) throws IOException {
    if (staging == null) {
      prepare();
      try {
        staging = new GuardedStaging(medium.openStaging(hostLength, writtenTo));
      } catch (SystemCallException e) {
        throw translate(e);
      }
    }
    return staging;
  }

  /// Creates a new, empty file without a name, for a source that must be stored completely before
  /// it can be read. The file is in the volume, or, for a block device, in the scratch directory.
  /// The file exists at most until [#close].
  ///
  /// @throws UnsupportedFeatureException if the volume is a block device, and there is no scratch
  ///   directory
  public Path openSpool() throws IOException {
    cancellation.check();
    return medium.openSpool();
  }

  /// Returns the number of bytes that can be written now to a file that [#openSpool] creates; other
  /// processes may change this number.
  public long spoolable() throws IOException {
    return medium.spoolable();
  }

  /// Lets another program write the whole disk, instead of [#write]. That program must have
  /// succeeded before [#publish].
  ///
  /// @param size the virtual size
  /// @return a path by which this process and its children can open the disk's file
  /// @throws ExceedsVolumeException if a disk of this size does not fit
  /// @throws UnsupportedFeatureException if the volume is a block device
  public Path handOver(long size) throws IOException {
    expect(size);
    return medium.unpublished();
  }

  /// Completes the disk. In a directory, the length of the disk's file is rounded up to a multiple
  /// of 1 MiB, or is increased further as [WriteOptions#expand] describes. Then the file gets its
  /// record, is flushed to stable storage, and finally gets its name. On a block device, the first
  /// MiB is written last.
  ///
  /// @param origin the disk's source, for the record
  /// @param format the format of the source, for the record
  /// @throws ExceedsVolumeException if the volume becomes full during this call
  /// @throws VolumeOccupiedException if another process created a `disk.img` after this writer was
  ///   opened, and overwriting is not allowed; or if another process replaces `disk.img` during
  ///   this call
  /// @throws IllegalStateException if this method was called before, or if a change of the disk
  ///   failed, so that the disk is incomplete
  public PublishedDisk publish(Origin origin, ImageFormat format) throws IOException {
    if (!intact || finished) {
      throw new IllegalStateException(
          "A disk is published at most once, and only if its writing succeeded");
    }
    cancellation.check();
    prepare();
    finished = true;
    try {
      return medium.publish(new DiskRecord(origin, format, virtualSize.orElse(end)));
    } catch (SystemCallException e) {
      throw translate(e);
    }
  }

  /// Makes the next step of a running operation end with an [java.io.InterruptedIOException]. A
  /// disk that is already visible stays.
  public void cancel() {
    cancellation.cancel();
  }

  /// Throws an exception if this writer was cancelled; for code that works on this disk but does
  /// not write to it.
  ///
  /// @throws java.io.InterruptedIOException after [#cancel]
  public void requireNotCancelled() throws IOException {
    cancellation.check();
  }

  /// Returns the number of guest bytes that were written, or were moved from the staging, so far.
  /// Zeros are counted, too.
  public long guestBytes() {
    return guestBytes.get();
  }

  /// Returns how many bytes of the disk were written to the volume so far. Holes, staged bytes and
  /// blocks shared with the staging are not counted.
  public long bytesWritten() {
    SparseStore guest = store;
    return guest == null ? 0 : guest.written();
  }

  /// Returns true if the volume is a block device.
  public boolean onDevice() {
    return switch (medium) {
      case FileMedium _ -> false;
      case DeviceMedium _ -> true;
    };
  }

  @Override
  public void close() throws IOException {
    medium.close();
  }

  /// The staging of the medium; after a failure of this staging, the disk cannot be published.
  private final class GuardedStaging implements Staging {
    private final VolumeStaging kept;

    GuardedStaging(VolumeStaging kept) {
      this.kept = kept;
    }

    @Override
    public void keep(long hostOffset, byte[] source, int offset, int length) throws IOException {
      change(() -> kept.keep(hostOffset, source, offset, length));
    }

    @Override
    public void read(long hostOffset, byte[] target, int offset, int length) throws IOException {
      change(() -> kept.read(hostOffset, target, offset, length));
    }

    @Override
    public void moveToGuest(long hostOffset, long guestOffset, long length) throws IOException {
      admit(guestOffset, length);
      change(() -> kept.moveToGuest(hostOffset, guestOffset, length));
      guestBytes.addAndGet(length);
    }
  }
}

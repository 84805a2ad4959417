package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.FileStatus;
import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A disk that is a file in a directory. The file is written under a hidden name, and is renamed
/// when the disk is complete.
///
/// If an old disk may be overwritten, it usually stays until the rename replaces it. But if the
/// file system becomes full before the rename, and the staging has no space to free, the old disk
/// is deleted to free its space.
final class FileMedium implements Medium {
  /// The owner and the group may read and write the file. If the directory has the setgid bit, the
  /// file's group is the group of the directory.
  private static final int DISK_MODE = 0660;

  /// Ranges are allocated in steps of this length, so that a cancellation need not wait for the
  /// whole allocation.
  private static final long STEP = 1L << 30;

  /// The fraction of the available bytes that [WriteOptions#expand] does not use for the disk. The
  /// default of CDI's file-system overhead has the same value.
  private static final double FILE_SYSTEM_OVERHEAD = 0.06;

  private final DirectoryVolume volume;
  private final Directory directory;
  private final WriteOptions options;
  private final Cancellation cancellation;
  private final long available;
  private final String temporaryName;
  private final NativeFile file;
  private final SparseStore store;
  private @Nullable VolumeStaging staging;
  private @Nullable NativeFile spool;
  private boolean allocated;
  private boolean visible;

  /// Creates the medium.
  ///
  /// @param directory the volume's directory; it is closed with this medium, or if this constructor
  ///   fails
  FileMedium(
      DirectoryVolume volume,
      Directory directory,
      long available,
      WriteOptions options,
      Cancellation cancellation)
      throws IOException {
    this.volume = volume;
    this.directory = directory;
    this.options = options;
    this.cancellation = cancellation;
    this.available = available;
    this.temporaryName = DirectoryVolume.temporaryName();
    this.file = createLocked(directory, temporaryName);
    this.store = new SparseStore(file, Long.MAX_VALUE, true, this::makeRoom);
  }

  private static NativeFile createLocked(Directory directory, String name) throws IOException {
    try {
      NativeFile created = directory.create(name, directory.fileSystem().directIoPays());
      try {
        created.lock();
        return created;
      } catch (IOException e) {
        directory.removeIfPresent(name);
        created.close();
        throw e;
      }
    } catch (IOException e) {
      directory.close();
      throw e;
    }
  }

  @Override
  public long available() {
    return available;
  }

  @Override
  public void admit(long end) throws ExceedsVolumeException {
    if (end > Sizes.floor(available, MIB)) {
      throw ExceedsVolumeException.tooLarge(ceilToMib(end), available);
    }
  }

  private static long ceilToMib(long size) {
    return size > Long.MAX_VALUE - MIB ? Long.MAX_VALUE : Sizes.ceil(size, MIB);
  }

  @Override
  public void prepare(OptionalLong virtualSize) throws IOException {
    if (virtualSize.isPresent()) {
      long size = finalSize(virtualSize.getAsLong());
      // Writes within the file's length are cheaper than writes that extend the file.
      file.truncate(size);
      allocate(size);
    }
  }

  private long finalSize(long virtualSize) {
    long size = ceilToMib(virtualSize);
    if (!options.expand()) {
      return size;
    }
    long grown = (long) (available * (1 - FILE_SYSTEM_OVERHEAD));
    return Math.max(size, Sizes.floor(grown, MIB));
  }

  private void allocate(long size) throws IOException {
    if (options.preallocation() == Preallocation.NONE) {
      return;
    }
    allocated = true;
    for (long offset = 0; offset < size && allocated; offset += STEP) {
      cancellation.check();
      allocated = allocateWithRoom(offset, Math.min(STEP, size - offset));
    }
  }

  private boolean allocateWithRoom(long offset, long length) throws IOException {
    while (true) {
      try {
        return file.allocate(offset, length);
      } catch (SystemCallException e) {
        if (!e.full() || !makeRoom()) {
          throw e;
        }
      }
    }
  }

  private boolean makeRoom() throws IOException {
    if (staging != null && staging.release()) {
      return true;
    }
    if (!options.overwrite()
        || directory.status(DirectoryVolume.DISK).filter(FileStatus::regularFile).isEmpty()) {
      return false;
    }
    directory.removeIfPresent(DirectoryVolume.DISK);
    // Some file systems reuse the blocks of a removed file only after the removal is on stable
    // storage.
    directory.sync();
    return true;
  }

  @Override
  public SparseStore store() {
    return store;
  }

  @Override
  public VolumeStaging openStaging(OptionalLong hostLength, long guestEnd) throws IOException {
    // The kernel deletes a file without a name when this process ends, even if this process
    // crashes.
    NativeFile kept =
        directory.createUnnamed(
            DirectoryVolume.temporaryName(), directory.fileSystem().directIoPays());
    VolumeStaging.Place place = new VolumeStaging.Place(kept, 0, Long.MAX_VALUE, true, true);
    staging = new VolumeStaging(place, file, store, this::makeRoom, cancellation);
    return staging;
  }

  @Override
  public Path openSpool() throws IOException {
    // The file has no name, so that another program with access to the volume can neither replace
    // nor change the image between the check and the conversion of the image.
    spool = directory.createUnnamed(DirectoryVolume.temporaryName(), false);
    return spool.again();
  }

  @Override
  public long spoolable() throws IOException {
    return directory.fileSystem().usable();
  }

  @Override
  public Path unpublished() {
    // The program that gets this path truncates the file before it writes the disk. The truncation
    // frees the reserved space, so publish() must reserve space again.
    allocated = false;
    return file.again();
  }

  @Override
  public PublishedDisk publish(DiskRecord record) throws IOException {
    store.flush();
    closeStaging();
    closeSpool();
    long size = finalSize(record.virtualSize());
    file.truncate(size);
    if (!allocated) {
      allocate(size);
    }
    boolean fill =
        switch (options.preallocation()) {
          case NONE -> false;
          case FALLOC -> !allocated;
          case FULL -> true;
        };
    if (fill) {
      fillHoles(size);
    }
    file.setMode(DISK_MODE);
    // If the file system cannot store the record, the disk is published without a record.
    boolean recorded = record.write(file);
    Optional<String> digest =
        recorded && options.digest()
            ? Optional.of(ContentDigest.of(file, size, cancellation))
            : Optional.empty();
    file.sync();
    if (recorded) {
      // The state is stored after the flush of the file, because this flush may change the times of
      // the file. The state is stored directly before the rename, because the rename changes the
      // ctime again, and DiskState accepts only a short time between the two ctimes. The flush of
      // the directory makes the state durable.
      DiskState.of(file.status(), digest).write(file);
    }
    cancellation.check();
    FileStatus status = file.status();
    try {
      directory.rename(temporaryName, DirectoryVolume.DISK, options.overwrite());
    } catch (SystemCallException e) {
      if (e.alreadyExists()) {
        VolumeOccupiedException occupied = volume.occupiedByDisk();
        occupied.initCause(e);
        throw occupied;
      }
      throw e;
    }
    visible = true;
    if (directory.status(DirectoryVolume.DISK).filter(status::sameFile).isEmpty()) {
      throw VolumeOccupiedException.blocked(
          volume.path(),
          "another program has replaced "
              + DirectoryVolume.DISK
              + " while this disk was published");
    }
    volume.published(status);
    try {
      directory.sync();
    } catch (IOException e) {
      withdraw(e);
      throw e;
    }
    Path path = volume.path().resolve(DirectoryVolume.DISK);
    return new PublishedDisk(path, size, status.allocated(), record);
  }

  /// Removes the disk after the flush of the directory failed, so that a failed job leaves no disk.
  /// If overwriting was allowed, the new disk stays, because it may have replaced an old disk,
  /// which cannot be restored.
  private void withdraw(IOException why) {
    if (options.overwrite()) {
      return;
    }
    try {
      directory.removeIfPresent(DirectoryVolume.DISK);
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  /// Writes zeros to the holes; reserved space that was not written counts as a hole.
  private void fillHoles(long size) throws IOException {
    long position = file.nextHole(0);
    while (position < size) {
      long end = Math.min(size, file.nextData(position).orElse(size));
      store.writeZeros(position, end - position, cancellation);
      position = end < size ? file.nextHole(end) : size;
    }
  }

  /// Closes the spool file, which frees its space for the disk.
  private void closeSpool() throws IOException {
    if (spool != null) {
      spool.close();
      spool = null;
    }
  }

  private void closeStaging() throws IOException {
    if (staging != null) {
      staging.close();
      staging = null;
    }
  }

  @Override
  public void close() throws IOException {
    try (directory;
        file;
        store) {
      closeStaging();
      closeSpool();
      if (!visible) {
        directory.removeIfPresent(temporaryName);
      }
    }
  }
}

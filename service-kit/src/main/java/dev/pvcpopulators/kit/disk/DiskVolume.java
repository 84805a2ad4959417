package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.volume.BlockVolume;
import dev.pvcpopulators.diskimage.volume.DiskCheck;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.diskimage.volume.Preallocation;
import dev.pvcpopulators.diskimage.volume.VolumeOccupiedException;
import dev.pvcpopulators.diskimage.volume.VolumeTarget;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.diskimage.volume.WriteOptions;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.linux.SystemCallException;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeSource;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The volume that receives one disk, with the settings that all services share.
@Singleton
public final class DiskVolume {
  private static final Logger LOG = System.getLogger(DiskVolume.class.getName());

  private final PopulatorSettings settings;
  private final ClaimName claim;

  /// The target is opened at first use and then kept, because the target remembers whether it
  /// published the present disk.
  private @Nullable VolumeTarget target;

  DiskVolume(PopulatorSettings settings, ClaimName claim) {
    this.settings = settings;
    this.claim = claim;
  }

  private synchronized VolumeTarget target() throws IOException {
    VolumeTarget found = target;
    if (found == null) {
      found = VolumeTarget.of(path());
      target = found;
    }
    return found;
  }

  /// Returns the path of the directory or the block device.
  public Path path() {
    return settings.target();
  }

  /// Returns the reference by which a virtual machine uses the volume.
  public VolumeSource source() {
    return claim.source();
  }

  /// Returns whether this is a Block volume: a device, which cannot hold files beside the disk.
  public boolean block() throws IOException {
    return target() instanceof BlockVolume;
  }

  /// Returns the number of bytes that are available for a disk ([VolumeTarget#available]). If the
  /// settings allow overwriting, the result includes the space of an existing `disk.img`.
  public long available() throws IOException {
    return target().available(settings.overwrite());
  }

  /// Returns whether the volume has a disk, regardless of the program that made the disk.
  public boolean occupied() throws IOException {
    return target().occupied();
  }

  /// Throws if there is a disk that must not be replaced.
  ///
  /// @throws VolumeException with [Failure.VolumeNotEmpty], or with the reason why the volume
  ///   cannot be examined
  public void requireVacant() throws VolumeException {
    try {
      if (occupied() && !settings.overwrite()) {
        throw new VolumeException(inTheWay());
      }
    } catch (IOException e) {
      throw new VolumeException(failureOf(e, "Looking at the volume"), e);
    }
  }

  /// Opens a writer for a new disk, with the settings for overwriting, growing, preallocation and
  /// scratch space.
  public VolumeWriter open() throws IOException {
    return open(false);
  }

  /// Opens a writer for a new disk. If requested, the writer stores a digest of the disk's bytes
  /// for [#check].
  ///
  /// @param digest whether to read the complete disk again and store its digest; ignored for a
  ///   Block volume
  public VolumeWriter open(boolean digest) throws IOException {
    Preallocation preallocation =
        switch (settings.preallocation()) {
          case OFF -> Preallocation.NONE;
          case FALLOC -> Preallocation.FALLOC;
          case FULL -> Preallocation.FULL;
        };
    return target()
        .open(
            new WriteOptions(
                settings.overwrite(),
                settings.expand(),
                preallocation,
                settings.scratch(),
                digest));
  }

  /// Returns the record of the present disk; empty if there is no disk, if another program made the
  /// disk, or if the volume cannot store records.
  public Optional<DiskRecord> recorded() throws IOException {
    return target().recorded();
  }

  /// Compares the present disk with the state that was stored when the disk was published. Returns
  /// empty if [#recorded] is empty.
  ///
  /// @param content whether to read the whole disk and compare its digest, too
  public Optional<DiskCheck> check(boolean content, Cancellation cancellation) throws IOException {
    dev.pvcpopulators.diskimage.volume.Cancellation reading =
        new dev.pvcpopulators.diskimage.volume.Cancellation();
    try (Registration _ = cancellation.onCancel(reading::cancel)) {
      return target().check(content, reading);
    }
  }

  /// Removes the leftovers of a crash, and nothing else.
  public void removeLeftovers() throws IOException {
    target().removeLeftovers();
  }

  /// Removes the disk if it has a [DiskRecord], or if this process published it.
  public void delete() throws IOException {
    target().delete();
  }

  /// Maps an exception of the volume, or of a source that is read by lib/http, to the failure that
  /// a client sees.
  ///
  /// @param action the failed action, such as `Reading docker://…`, for the messages about
  ///   malformed and unsupported images
  public Failure failureOfSource(IOException e, String action) {
    return SourceFailures.of(e, action).orElseGet(() -> failureOf(e, action));
  }

  /// Maps an exception of the volume or of a disk's format to the failure that a client sees. An
  /// exception of another kind is logged as a defect and mapped to [Failure.Bug]. This method does
  /// not need lib/http, which http-upload does not have.
  ///
  /// @param action the failed action, such as `Reading the upload`, for the messages about
  ///   malformed and unsupported images
  public Failure failureOf(IOException e, String action) {
    return switch (e) {
      case MalformedImageException malformed ->
          new Failure.MalformedSource(action + ": " + malformed.getMessage());
      case UnsupportedFeatureException unsupported ->
          new Failure.UnsupportedSource(action + ": " + unsupported.getMessage());
      case ExceedsVolumeException exceeds ->
          new Failure.ExceedsVolume(
              "Writing the disk to " + path() + ": " + exceeds.getMessage(),
              exceeds.required(),
              exceeds.available(),
              exceeds.full());
      case VolumeOccupiedException occupied when occupied.replaceable() -> inTheWay();
      case VolumeOccupiedException occupied ->
          new Failure.VolumeNotEmpty(String.valueOf(occupied.getMessage()));
      default ->
          StorageFailures.of(e, "Filling the volume " + path(), path())
              .or(() -> denied(e))
              .orElseGet(() -> defect(e));
    };
  }

  private Optional<Failure> denied(IOException e) {
    return switch (e) {
      case SystemCallException call when call.denied() ->
          Optional.of(
              new Failure.InvalidRequest(
                  "Filling the volume "
                      + path()
                      + ": "
                      + call.getMessage()
                      + (call.readOnly()
                          ? "; mount it for writing"
                          : "; give this process's user access")));
      case FileSystemException wrong when path().toString().equals(wrong.getFile()) ->
          Optional.of(
              new Failure.InvalidRequest(
                  "Opening the volume "
                      + path()
                      + ": "
                      + Objects.requireNonNullElse(
                          wrong.getReason(), wrong.getClass().getSimpleName())
                      + "; check POPULATOR_TARGET"));
      default -> Optional.empty();
    };
  }

  private Failure inTheWay() {
    return new Failure.VolumeNotEmpty(
        "Writing the disk to "
            + path()
            + ": expected an empty volume, found a disk that was there before; set"
            + " POPULATOR_OVERWRITE=true to replace it");
  }

  private Failure defect(IOException e) {
    String id = UUID.randomUUID().toString();
    LOG.log(Level.ERROR, "Filling the volume failed: volume=" + path() + " id=" + id, e);
    return new Failure.Bug(id, "Filling the volume failed; the log has the cause as " + id);
  }
}

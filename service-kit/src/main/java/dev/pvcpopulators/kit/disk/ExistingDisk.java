package dev.pvcpopulators.kit.disk;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.volume.DiskCheck;
import dev.pvcpopulators.diskimage.volume.DiskCheck.Property;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.kit.disk.CopySettings.Verify;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/// A disk that the volume already has, and the result of comparing the disk with its record. Used
/// by services that copy a disk from a source which can be read again.
///
/// @param verify how thoroughly the disk is compared with its record
public record ExistingDisk(DiskCheck check, Verify verify) {
  /// Compares the volume's disk with its record.
  ///
  /// @return empty if there is no disk, or if the disk has no record
  public static Optional<ExistingDisk> check(
      DiskVolume volume, Verify verify, Cancellation cancellation) throws IOException {
    return volume
        .check(verify == Verify.CONTENT, cancellation)
        .map(check -> new ExistingDisk(check, verify));
  }

  /// Returns whether the comparison that [#verify] demands shows that the disk is unchanged; true
  /// if [#verify] demands no comparison.
  public boolean proven() {
    return switch (verify) {
      case NONE -> true;
      case RECORD -> check.unchanged();
      case CONTENT -> check.same().contains(Property.CONTENT);
    };
  }

  /// Returns the names of the unchanged properties, in lower case; empty if [#verify] demands no
  /// comparison.
  public List<String> verified() {
    return verify == Verify.NONE ? List.of() : words(check.same());
  }

  /// Returns the record that was stored with the disk.
  public DiskRecord record() {
    return check.record();
  }

  /// Copies the virtual size and the format from the record to the status of the volume.
  public void tell(Progress progress) {
    progress.virtualSize(record().virtualSize());
    progress.format(record().format().word());
  }

  /// Returns the disk as the result of a recovery. If [#proven] returns false, the result does not
  /// contain the source's digest, because a virtual machine may have changed the disk since the
  /// copy.
  public Recovered recovered(DiskVolume volume) {
    return new Recovered(
        volume.source(),
        null,
        -1,
        proven() ? record().sourceDigest() : null,
        record().format().word(),
        record().virtualSize());
  }

  /// Returns a description of a volume for a dry run, with these fields:
  ///
  /// - `path` of the volume
  /// - `available`, in bytes
  /// - `fits`: whether the disk to copy fits; absent if its size is unknown
  /// - `holdsThisDisk`: whether the volume has the disk to copy, and [#proven] returns true
  /// - `verified`: the unchanged properties ([#verified]); absent if the volume does not have the
  ///   disk to copy
  /// - `occupied`: whether the volume has any disk
  ///
  /// @param virtualSize size of the disk to copy in bytes; empty if unknown
  /// @param made returns whether a record describes the disk to copy
  public static ObjectNode describe(
      DiskVolume volume, Verify verify, OptionalLong virtualSize, Predicate<DiskRecord> made)
      throws IOException {
    long available = volume.available();
    ObjectNode shown =
        JsonNodeFactory.instance
            .objectNode()
            .put("path", volume.path().toString())
            .put("available", available);
    virtualSize.ifPresent(size -> shown.put("fits", size <= available));
    Optional<ExistingDisk> existing =
        check(volume, verify, new Cancellation()).filter(disk -> made.test(disk.record()));
    shown.put("holdsThisDisk", existing.filter(ExistingDisk::proven).isPresent());
    existing.ifPresent(disk -> disk.verified().forEach(shown.withArray("verified")::add));
    return shown.put("occupied", volume.occupied());
  }

  private static List<String> words(Iterable<Property> properties) {
    List<String> words = new ArrayList<>();
    properties.forEach(property -> words.add(property.name().toLowerCase(Locale.ROOT)));
    return List.copyOf(words);
  }

  /// Requires that [#proven] returns true for the disk.
  ///
  /// @param prefix prefix of the service's settings, for the message, such as `REGISTRY_COPY_`
  /// @throws VolumeException with [Failure.VolumeNotEmpty] if [#proven] returns false. A disk that
  ///   may have changed is replaced only if the settings demand the replacement, because the disk
  ///   may hold the data of a virtual machine
  public void require(Path volume, String prefix) throws VolumeException {
    if (proven()) {
      return;
    }
    throw new VolumeException(
        new Failure.VolumeNotEmpty(
            ("Checking the disk in %s: its record says that it was made from this"
                    + " source; expected a disk that is unchanged since, found %s; set"
                    + " %sFORCE=true and POPULATOR_OVERWRITE=true to replace it, or"
                    + " %sVERIFY=none to take it as it is")
                .formatted(volume, found(prefix), prefix, prefix)));
  }

  private String found(String prefix) {
    if (check.same().isEmpty() && check.different().isEmpty()) {
      return "one whose state was not recorded when it was made";
    }
    return verify == Verify.CONTENT && !check.different().contains(Property.CONTENT)
        ? "one that was made without "
            + prefix
            + "VERIFY=content, so that there is no digest to"
            + " compare with"
        : "one that differs in " + String.join(", ", words(check.different()));
  }
}

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

/// A disk that was in the volume before, and what of it was compared with its record. For services
/// that copy a disk from a source which can be asked again.
///
/// @param verify how much was to be compared
public record ExistingDisk(DiskCheck check, Verify verify) {
  /// Looks at the volume.
  ///
  /// @return empty where there is no disk, or one without a record
  public static Optional<ExistingDisk> check(
      DiskVolume volume, Verify verify, Cancellation cancellation) throws IOException {
    return volume
        .check(verify == Verify.CONTENT, cancellation)
        .map(check -> new ExistingDisk(check, verify));
  }

  /// Whether as much is unchanged as was to be compared.
  public boolean proven() {
    return switch (verify) {
      case NONE -> true;
      case RECORD -> check.unchanged();
      case CONTENT -> check.same().contains(Property.CONTENT);
    };
  }

  /// The properties that are as they were published, in lower case; none where none was to be
  /// compared.
  public List<String> verified() {
    return verify == Verify.NONE ? List.of() : words(check.same());
  }

  /// The record of what the disk was made from.
  public DiskRecord record() {
    return check.record();
  }

  /// Tells a volume's status what the record says of the disk.
  public void tell(Progress progress) {
    progress.virtualSize(record().virtualSize());
    progress.format(record().format().word());
  }

  /// Returns the disk as what a service finds when it starts. A machine may have used the disk
  /// since, and the volume is there all the same; but then its digest is not told.
  public Recovered recovered(DiskVolume volume) {
    return new Recovered(
        volume.source(),
        null,
        -1,
        proven() ? record().sourceDigest() : null,
        record().format().word(),
        record().virtualSize());
  }

  /// Describes a volume for a dry run: `path`, `available` bytes, whether the disk `fits`, whether
  /// it `holdsThisDisk`, what was `verified` of that, and whether it is `occupied`.
  ///
  /// @param virtualSize of the disk that would be copied; empty if it is not known
  /// @param made whether a record is that of this disk
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

  /// Requires that the disk is as it was published.
  ///
  /// @param prefix of the service's settings, for the message: `REGISTRY_COPY_`
  /// @throws VolumeException with [Failure.VolumeNotEmpty] where the disk changed, or where nothing
  ///   shows that it did not. It is never replaced for that alone: a machine's data may be in it
  public void require(Path volume, String prefix) throws VolumeException {
    if (proven()) {
      return;
    }
    throw new VolumeException(
        new Failure.VolumeNotEmpty(
            "Checking the disk in "
                + volume
                + ": its record says that it was made from this source; expected a disk that is"
                + " unchanged since, found "
                + found(prefix)
                + "; set "
                + prefix
                + "FORCE=true and POPULATOR_OVERWRITE=true to replace it, or "
                + prefix
                + "VERIFY=none to take it as it is"));
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

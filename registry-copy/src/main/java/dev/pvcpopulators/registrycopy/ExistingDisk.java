package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.diskimage.volume.DiskCheck;
import dev.pvcpopulators.diskimage.volume.DiskCheck.Property;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.registrycopy.RegistryCopySettings.Verify;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A disk that was in the volume before, and what of it was compared with its record.
///
/// @param verify how much was to be compared
record ExistingDisk(DiskCheck check, Verify verify) {
  /// Looks at the volume.
  ///
  /// @return empty where there is no disk, or one without a record
  static Optional<ExistingDisk> check(DiskVolume volume, Verify verify, Cancellation cancellation)
      throws IOException {
    return volume
        .check(verify == Verify.CONTENT, cancellation)
        .map(check -> new ExistingDisk(check, verify));
  }

  /// Whether as much is unchanged as was to be compared.
  boolean proven() {
    return switch (verify) {
      case NONE -> true;
      case RECORD -> check.unchanged();
      case CONTENT -> check.same().contains(Property.CONTENT);
    };
  }

  /// The properties that are as they were published, in lower case; none where none was to be
  /// compared.
  List<String> verified() {
    return verify == Verify.NONE ? List.of() : words(check.same());
  }

  private static List<String> words(Iterable<Property> properties) {
    List<String> words = new ArrayList<>();
    properties.forEach(property -> words.add(property.name().toLowerCase(Locale.ROOT)));
    return List.copyOf(words);
  }

  /// @throws VolumeException with [Failure.VolumeNotEmpty] where the disk changed, or where nothing
  ///   shows that it did not. It is never replaced for that alone: a machine's data may be in it
  void require(Path volume) throws VolumeException {
    if (proven()) {
      return;
    }
    throw new VolumeException(
        new Failure.VolumeNotEmpty(
            "Checking the disk in "
                + volume
                + ": its record says that it was made from this image; expected a disk that is"
                + " unchanged since, found "
                + found()
                + "; set REGISTRY_COPY_FORCE=true and POPULATOR_OVERWRITE=true to replace it, or"
                + " REGISTRY_COPY_VERIFY=none to take it as it is"));
  }

  private String found() {
    if (check.same().isEmpty() && check.different().isEmpty()) {
      return "one whose state was not recorded when it was made";
    }
    return verify == Verify.CONTENT && !check.different().contains(Property.CONTENT)
        ? "one that was made without REGISTRY_COPY_VERIFY=content, so that there is no digest to"
            + " compare with"
        : "one that differs in " + String.join(", ", words(check.different()));
  }
}

package dev.pvcpopulators.registrystreamiscsi.lun;

import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jboss.logging.Logger;

/// The LUNs left by a stopped service, compared with the current settings. **This class never
/// removes data that was written to a LUN.** If a LUN with such data cannot be exported or is no
/// longer requested, the LUN is kept until the volume is deleted.
///
/// @param again LUNs to export again
/// @param missing LUNs of the settings that do not exist yet
/// @param kept numbers of LUNs that are neither exported nor removed
/// @param broken the reasons why LUNs of `kept` are not exported although they are still requested
public record Leftovers(
    List<WantedLun> again,
    List<LunRequest> missing,
    Set<Integer> kept,
    TreeMap<Integer, String> broken) {
  private static final Logger LOG = Logger.getLogger(Leftovers.class);

  /// Compares the stored LUNs with the settings, and removes LUNs that are no longer requested and
  /// whose overlays have no data.
  ///
  /// @throws VolumeException with `InvalidRequest` if the settings are invalid
  public static Leftovers of(RegistryStreamIscsiSettings settings, LunDirectory luns)
      throws IOException, VolumeException {
    LunDirectory.Contents contents = luns.contents();
    Leftovers left =
        new Leftovers(
            new ArrayList<>(),
            configured(settings),
            new java.util.TreeSet<>(contents.unreadable()),
            new TreeMap<>());
    TreeMap<Integer, LunRecord> records = contents.records();
    left.byClients(settings, records);
    left.bySettings(records, (request, record) -> request.words().equals(record.words()));
    left.bySettings(records, (request, record) -> record.continuedBy(request));
    for (int lun : records.keySet()) {
      if (luns.wasWritten(lun)) {
        LOG.warnf(
            "The settings no longer request this LUN; its data are kept until the"
                + " volume is deleted: lun=%d",
            lun);
        left.kept().add(lun);
      } else {
        luns.remove(lun);
      }
    }
    return left;
  }

  private static List<LunRequest> configured(RegistryStreamIscsiSettings settings)
      throws VolumeException {
    List<LunRequest> configured = new ArrayList<>();
    if (settings.single().image().isPresent()) {
      configured.add(LunRequest.of(settings, settings.single()));
    }
    for (RegistryStreamIscsiSettings.Lun lun : settings.luns().orElse(List.of())) {
      configured.add(LunRequest.of(settings, lun));
    }
    return configured;
  }

  private void byClients(
      RegistryStreamIscsiSettings settings, TreeMap<Integer, LunRecord> records) {
    for (LunRecord record : List.copyOf(records.values())) {
      VolumeRequest by = record.request();
      if (by != null) {
        records.remove(record.lun());
        try {
          take(new WantedLun(LunRequest.of(settings, by), by, record));
        } catch (VolumeException e) {
          keep(record.lun(), e.failure().detail());
        }
      }
    }
  }

  /// Assigns stored records to missing LUNs of the settings: at most one LUN to each record, and at
  /// most one record to each LUN.
  private void bySettings(
      TreeMap<Integer, LunRecord> records, BiPredicate<LunRequest, LunRecord> same) {
    for (LunRecord record : List.copyOf(records.values())) {
      Optional<LunRequest> request =
          missing.stream().filter(it -> same.test(it, record)).findFirst();
      if (request.isPresent()) {
        records.remove(record.lun());
        missing.remove(request.get());
        take(new WantedLun(request.get(), null, record));
      }
    }
  }

  private void take(WantedLun wanted) {
    LunRecord record = wanted.before();
    String discredited = record.discredited();
    if (discredited == null) {
      again.add(wanted);
    } else {
      keep(
          record.lun(),
          "it may contain data of an image that did not match its digest: " + discredited);
    }
  }

  private void keep(int lun, String reason) {
    LOG.errorf(
        "The LUN was not exported; its data are kept until the volume is deleted: lun=%d:" + " %s",
        lun, reason);
    kept.add(lun);
    broken.put(lun, reason);
  }

  /// Returns the images to keep: the images of all stored LUNs that are not complete clones.
  ///
  /// @return empty if a LUN's record cannot be read; then all images must be kept
  public Optional<Set<String>> images(LunDirectory luns) throws IOException {
    LunDirectory.Contents contents = luns.contents();
    if (!contents.unreadable().isEmpty()) {
      return Optional.empty();
    }
    Set<String> images = new java.util.HashSet<>();
    for (LunRecord record : contents.records().values()) {
      if (record.cloned() == null) {
        images.add(record.image());
      }
    }
    return Optional.of(images);
  }
}

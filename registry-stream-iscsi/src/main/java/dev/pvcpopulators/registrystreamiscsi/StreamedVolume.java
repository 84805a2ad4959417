package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.registrystreamiscsi.export.Exports;
import dev.pvcpopulators.registrystreamiscsi.export.LunPublication;
import dev.pvcpopulators.registrystreamiscsi.export.StoredLuns;
import dev.pvcpopulators.registrystreamiscsi.image.VolumeImages;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.LunDirectory;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// One volume: the target, its LUNs, and their images. Thread-safe.
///
/// @param creation creates LUNs in this volume
/// @param stored exports the LUNs of a stopped service again
record StreamedVolume(
    Exports exports,
    VolumeImages images,
    LunDirectory directory,
    LunPublication publication,
    StoredLuns stored,
    LunFailures failures,
    LunCreation creation) {
  static StreamedVolume of(
      RegistryStreamIscsiSettings settings,
      Exports exports,
      VolumeImages images,
      LunDirectory directory,
      CommandObserver observer,
      LunFailures failures) {
    LunPublication publication =
        new LunPublication(settings, exports, images, directory, observer, failures::tell);
    StoredLuns stored = new StoredLuns(exports, publication);
    return new StreamedVolume(
        exports,
        images,
        directory,
        publication,
        stored,
        failures,
        new LunCreation(settings, exports, images, publication, stored, failures));
  }

  /// Waits until the images of all exported LUNs are complete. Omits LUNs that are complete clones,
  /// because they no longer need an image. Called only in a job.
  void awaitComplete() throws VolumeException {
    for (ExportedLun lun : exports.luns()) {
      try {
        if (lun.record().cloned() == null) {
          images.await(lun.image());
        }
      } catch (IOException e) {
        throw failures.of(e, "Reading " + lun.request().image().reference());
      }
    }
  }

  Recovered recovered() {
    int first = publication.first();
    if (publication.broken().containsKey(first)) {
      return Recovered.of(exports.source(first));
    }
    ExportedLun lun = lun(first);
    return new Recovered(exports.source(first), null, -1, lun.image().source(), null, lun.length());
  }

  /// Returns the exported LUN with the given number, which must exist.
  ExportedLun lun(int number) {
    return exports.luns().stream().filter(it -> it.number() == number).findFirst().orElseThrow();
  }

  /// Returns the parts of the volume: first the LUNs that are not exported, then the exported LUNs,
  /// then the layers of images that are being pulled.
  List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    publication
        .broken()
        .keySet()
        .forEach(lun ->
            parts.add(new Part(Part.Kind.LUN, Integer.toString(lun), Part.State.FAILED, 0, -1)));
    exports.luns().forEach(lun -> parts.add(lun.part()));
    parts.addAll(images.layers());
    return parts;
  }

  /// Closes the volume; stored data stays for the next start.
  void close() {
    creation.cancel();
    publication.exclusively(() -> {
      exports.close();
      images.close();
    });
  }

  /// Closes the volume and removes the LUNs that this process created.
  void discard() throws VolumeException {
    close();
    images.awaitPulls();
    try {
      for (int lun : publication.created()) {
        directory.remove(lun);
      }
    } catch (IOException e) {
      throw failures.of(e, "Removing the LUNs");
    }
  }

  /// Closes the volume and removes its stored data.
  void delete() throws VolumeException {
    close();
    try {
      directory.removeAll();
      images.removeAll();
    } catch (IOException e) {
      throw failures.of(e, "Removing the LUNs");
    }
  }
}

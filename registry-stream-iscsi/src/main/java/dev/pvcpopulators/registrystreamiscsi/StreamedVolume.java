package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.session.LoginStatistics;
import dev.pvcpopulators.iscsitarget.session.SessionInfo;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.kit.lifecycle.Recovered;
import dev.pvcpopulators.registrystreamiscsi.export.Exports;
import dev.pvcpopulators.registrystreamiscsi.export.LunPublication;
import dev.pvcpopulators.registrystreamiscsi.export.StoredLuns;
import dev.pvcpopulators.registrystreamiscsi.image.VolumeImages;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.LunDirectory;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;

/// One volume: the target, its LUNs, and their images. Thread-safe.
final class StreamedVolume {
  private final Exports exports;
  private final VolumeImages images;
  private final LunDirectory directory;
  private final LunPublication publication;
  private final StoredLuns stored;
  private final LunFailures failures;
  private final LunCreation creation;

  StreamedVolume(
      RegistryStreamIscsiSettings settings,
      Exports exports,
      VolumeImages images,
      LunDirectory directory,
      CommandObserver observer,
      LunFailures failures) {
    this.exports = exports;
    this.images = images;
    this.directory = directory;
    this.publication =
        new LunPublication(settings, exports, images, directory, observer, failures::tell);
    this.stored = new StoredLuns(exports, publication);
    this.failures = failures;
    this.creation = new LunCreation(settings, exports, images, publication, stored, failures);
  }

  /// Returns whether there is a LUN that a client requested with the same fields.
  boolean has(VolumeRequest request) {
    return exports.requestedBy(request).isPresent();
  }

  /// Returns the number of the LUN that a client requested.
  int number(VolumeRequest request) {
    return exports.requestedBy(request).orElseThrow().number();
  }

  /// Returns the creation of LUNs in this volume.
  LunCreation creation() {
    return creation;
  }

  /// Returns the LUNs left by a stopped service.
  StoredLuns stored() {
    return stored;
  }

  /// Returns the requested LUNs that cannot be used, with the reasons.
  SortedMap<Integer, String> broken() {
    return publication.broken();
  }

  /// Starts accepting initiators.
  void listen() throws IOException {
    exports.listen();
  }

  /// Waits until all images are complete.
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

  /// Returns the number of the LUN that represents the volume.
  int first() {
    return publication.first();
  }

  Recovered recovered() {
    int first = first();
    return broken().containsKey(first)
        ? Recovered.of(source(first))
        : new Recovered(source(first), null, -1, digest(first), null, length(first));
  }

  IscsiSource source(int lun) {
    return exports.source(lun);
  }

  String digest(int lun) {
    return find(lun).image().source();
  }

  long length(int lun) {
    return find(lun).length();
  }

  private ExportedLun find(int lun) {
    return exports.luns().stream().filter(it -> it.number() == lun).findFirst().orElseThrow();
  }

  Collection<ExportedLun> luns() {
    return exports.luns();
  }

  /// Returns the LUNs, unusable ones first, then the layers that are being pulled.
  List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    broken()
        .keySet()
        .forEach(lun ->
            parts.add(new Part(Part.Kind.LUN, Integer.toString(lun), Part.State.FAILED, 0, -1)));
    exports.luns().forEach(lun -> parts.add(lun.part()));
    parts.addAll(images.layers());
    return parts;
  }

  List<SessionInfo> sessions() {
    return exports.sessions();
  }

  LoginStatistics logins() {
    return exports.logins();
  }

  /// Cancels running work: transfers end with an exception.
  void cancel() {
    creation.cancel();
  }

  /// Closes the volume; stored data stays for the next start.
  void close() {
    cancel();
    publication.exclusively(() -> {
      exports.close();
      images.close();
    });
  }

  /// Closes the volume and removes the LUNs that this process created.
  void discard() throws VolumeException {
    close();
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

package dev.pvcpopulators.registrystreamiscsi.lun;

import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.UnitOptions;
import dev.pvcpopulators.registrystreamiscsi.image.CachedImage;
import dev.pvcpopulators.registrystreamiscsi.settings.CopyMode;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/// Creates the media of a LUN, according to the LUN's access mode and copy mode.
///
/// @param home the LUN's directory
/// @param observer receives the outcomes of the LUN's commands
public record LunMedia(
    LunRecord record,
    LunRequest request,
    CachedImage image,
    Path home,
    RegistryStreamIscsiSettings settings,
    CommandObserver observer) {
  private static final String PRODUCT = "IMAGE";

  /// Creates the LUN, or opens it again with its written data.
  public ExportedLun export() throws IOException {
    boolean perInitiator =
        settings.overlayPer() == RegistryStreamIscsiSettings.OverlayPer.INITIATOR
            && (request.copy() == CopyMode.COPY_ON_WRITE
                || request.copy() == CopyMode.COPY_ON_READ);
    try {
      return new ExportedLun(
          record,
          request,
          image,
          perInitiator ? InitiatorOverlays.open(record.lun(), home) : null,
          this::unit);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private LogicalUnit unit(String owner) {
    try {
      String identity = record.identity() + (owner.isEmpty() ? "" : "/" + hash(owner));
      Medium medium = medium(owner.isEmpty() ? home : LunDirectory.ofInitiator(home, hash(owner)));
      boolean ofCache = !(medium instanceof OverlayMedium);
      UnitOptions options =
          new UnitOptions(
              identity, PRODUCT, request.access(), false, settings.exclusiveGrace(), ofCache);
      return new LogicalUnit(medium, options, observer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Medium medium(Path place) throws IOException {
    DiskFiles files = LunDirectory.overlay(place);
    if (record.cloned() != null) {
      return OverlayMedium.openCloned(files, record.image())
          .orElseThrow(() -> new IOException("The clone in " + place + " is incomplete"));
    }
    Medium base = image.opened().join();
    // If the LUN was written to before its access mode changed, initiators still see the written
    // data.
    if (request.copy() == CopyMode.NONE
        && request.access() == AccessMode.READ_SHARED
        && !Files.exists(files.map())) {
      return base;
    }
    return OverlayMedium.open(base, record.image(), files, mode());
  }

  private dev.pvcpopulators.iscsitarget.overlay.CopyMode mode() {
    return switch (request.copy()) {
      case NONE, COPY_ON_WRITE, CLONE ->
          dev.pvcpopulators.iscsitarget.overlay.CopyMode.COPY_ON_WRITE;
      case COPY_ON_READ -> dev.pvcpopulators.iscsitarget.overlay.CopyMode.COPY_ON_READ;
    };
  }

  /// Returns the name of an initiator's directory.
  static String hash(String owner) {
    return UUID.nameUUIDFromBytes(owner.getBytes(StandardCharsets.UTF_8)).toString();
  }
}

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

/// Creates the media of LUNs, by their access and copy modes.
public final class LunMedia {
  private static final String PRODUCT = "IMAGE";
  private static final dev.pvcpopulators.iscsitarget.overlay.CopyMode OVERLAY =
      dev.pvcpopulators.iscsitarget.overlay.CopyMode.COPY_ON_WRITE;

  private LunMedia() {}

  /// Creates a LUN, or opens it again with its written data.
  ///
  /// @param home its directory
  /// @param observer receives the outcomes of its commands
  public static ExportedLun export(
      LunRecord record,
      LunRequest request,
      CachedImage image,
      Path home,
      RegistryStreamIscsiSettings settings,
      CommandObserver observer)
      throws IOException {
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
          owner -> unit(record, request, image, home, settings, owner, observer));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static LogicalUnit unit(
      LunRecord record,
      LunRequest request,
      CachedImage image,
      Path home,
      RegistryStreamIscsiSettings settings,
      String owner,
      CommandObserver observer) {
    try {
      String identity = record.identity() + (owner.isEmpty() ? "" : "/" + hash(owner));
      UnitOptions options =
          new UnitOptions(identity, PRODUCT, request.access(), false, settings.exclusiveGrace());
      return new LogicalUnit(
          medium(record, request, image, owner.isEmpty() ? home : own(home, owner)),
          options,
          observer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Medium medium(LunRecord record, LunRequest request, CachedImage image, Path home)
      throws IOException {
    DiskFiles files = LunDirectory.overlay(home);
    if (record.cloned() != null) {
      return OverlayMedium.openCloned(files, record.image())
          .orElseThrow(() -> new IOException("The clone in " + home + " is incomplete"));
    }
    Medium base = new SharedMedium(image.opened().join());
    return switch (request.copy()) {
      // A LUN that was written to before its access mode changed still shows its writes.
      case NONE ->
          request.access() == AccessMode.READ_SHARED && !Files.exists(files.map())
              ? base
              : OverlayMedium.open(base, record.image(), files, OVERLAY);
      case COPY_ON_WRITE, CLONE -> OverlayMedium.open(base, record.image(), files, OVERLAY);
      case COPY_ON_READ ->
          OverlayMedium.open(
              base,
              record.image(),
              files,
              dev.pvcpopulators.iscsitarget.overlay.CopyMode.COPY_ON_READ);
    };
  }

  private static Path own(Path home, String owner) throws IOException {
    return LunDirectory.ofInitiator(home, hash(owner));
  }

  /// Returns the name of an initiator's directory.
  static String hash(String owner) {
    return UUID.nameUUIDFromBytes(owner.getBytes(StandardCharsets.UTF_8)).toString();
  }
}

package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.UnitOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/// What LUNs store, by their access and copy modes.
final class LunMedia {
  private static final String PRODUCT = "IMAGE";

  private LunMedia() {}

  /// Whether what is written belongs to the image's own copy.
  static boolean writesToImage(LunRequest request) {
    return request.copy() == CopyMode.NONE && request.access() != AccessMode.READ_SHARED;
  }

  /// Makes a LUN, or opens it again with what was written to it.
  ///
  /// @param home its directory
  static ExportedLun export(
      LunRecord record,
      LunRequest request,
      CachedImage image,
      Path home,
      RegistryStreamIscsiSettings settings)
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
          perInitiator,
          owner -> unit(record, request, image, home, settings, owner));
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
      String owner) {
    try {
      String identity = record.identity() + (owner.isEmpty() ? "" : "/" + hash(owner));
      Medium base = new SharedMedium(image.opened().join());
      boolean asItIs =
          request.access() == AccessMode.READ_SHARED && request.copy() == CopyMode.NONE;
      return new LogicalUnit(
          asItIs ? base : overlay(base, request, image, owner.isEmpty() ? home : own(home, owner)),
          new UnitOptions(
              identity, PRODUCT, request.access(), false, settings.exclusiveGrace()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path own(Path home, String owner) throws IOException {
    return Files.createDirectories(home.resolve("initiators").resolve(hash(owner)));
  }

  private static String hash(String owner) {
    return UUID.nameUUIDFromBytes(owner.getBytes(StandardCharsets.UTF_8)).toString();
  }
}

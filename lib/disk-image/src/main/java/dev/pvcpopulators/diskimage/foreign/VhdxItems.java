package dev.pvcpopulators.diskimage.foreign;

import java.util.Set;
import java.util.UUID;

/// Required metadata items of a VHDX that do not refer to other files ([MS-VHDX], 2.6.2).
final class VhdxItems {
  /// Page 83 data, logical sector size, physical sector size.
  private static final Set<UUID> HARMLESS =
      Set.of(
          UUID.fromString("beca12ab-b2e6-4523-93ef-c309e000c746"),
          UUID.fromString("8141bf1d-a96f-4709-ba47-f233a8faab5f"),
          UUID.fromString("cda348c7-445d-4471-9cc9-e9885251c556"));

  private VhdxItems() {}

  static boolean harmless(UUID item) {
    return HARMLESS.contains(item);
  }
}

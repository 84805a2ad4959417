package dev.pvcpopulators.diskimage.foreign;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// The text descriptor of a VMDK (VMware "Virtual Disk Format 5.0", "The Descriptor File").
final class VmdkDescriptor {
  private static final String STRUCTURE = "VMDK descriptor";
  private static final long OFFSET = 512;
  private static final Set<String> CREATE_TYPES = Set.of("monolithicsparse", "streamoptimized");
  private static final Pattern EXTENT =
      Pattern.compile("(?i)(RW|RDONLY|NOACCESS)\\s+(\\d+)\\s+(\\S+)(\\s.*)?");

  private VmdkDescriptor() {}

  /// Checks that the disk has no parent and exactly one extent. Also checks that `createType` is a
  /// type whose descriptor and data are in the same file. The file name of the extent is not
  /// checked.
  ///
  /// @param region the descriptor and the bytes after it
  static void check(String region) throws IOException {
    // Searches the whole region for parentFileNameHint, also after the descriptor's end, because
    // programs stop reading the descriptor at different places.
    String lowerCase = region.toLowerCase(Locale.ROOT);
    if (lowerCase.contains("parentfilenamehint")) {
      throw SpooledImage.needsOtherFile("VMDK", "it has a parent (parentFileNameHint)");
    }
    int end = region.indexOf('\0');
    String text = end < 0 ? region : region.substring(0, end);
    if (!text.startsWith("# Disk DescriptorFile")) {
      throw new MalformedImageException(STRUCTURE, OFFSET, "its first line is missing");
    }
    int extents = 0;
    boolean typed = false;
    for (String line : text.split("\\R", -1)) {
      String trimmed = line.trim();
      int equals = trimmed.indexOf('=');
      var extent = EXTENT.matcher(trimmed);
      if (extent.matches()) {
        if (!extent.group(3).equalsIgnoreCase("SPARSE")) {
          throw SpooledImage.needsOtherFile("VMDK", "its extent is not SPARSE");
        }
        extents++;
      } else if (!trimmed.startsWith("#") && equals > 0) {
        String key = trimmed.substring(0, equals).trim().toLowerCase(Locale.ROOT);
        String value = trimmed.substring(equals + 1).trim().replace("\"", "");
        typed |= checkSetting(key, value.toLowerCase(Locale.ROOT));
      }
    }
    if (extents != 1 || !typed) {
      throw extents > 1
          ? SpooledImage.needsOtherFile("VMDK", "it has " + extents + " extents")
          : new MalformedImageException(STRUCTURE, OFFSET, "an extent or createType is missing");
    }
  }

  /// Throws an exception if the setting shows that the disk needs another file. Returns whether the
  /// setting is `createType`.
  private static boolean checkSetting(String key, String value) throws IOException {
    return switch (key) {
      case "parentcid" -> {
        if (!value.equals("ffffffff")) {
          throw SpooledImage.needsOtherFile("VMDK", "it has a parent (parentCID)");
        }
        yield false;
      }
      case "createtype" -> {
        if (!CREATE_TYPES.contains(value)) {
          throw SpooledImage.needsOtherFile(
              "VMDK", "its createType is neither monolithicSparse nor streamOptimized");
        }
        yield true;
      }
      default -> false;
    };
  }
}

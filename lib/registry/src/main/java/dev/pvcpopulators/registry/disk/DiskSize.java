package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.registry.Descriptor;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The annotation in which KubeVirt states a disk's size. The value is a Kubernetes quantity in
/// canonical form, such as `10Gi` or `1073741825`. The canonical form has no fraction.
final class DiskSize {
  private static final String ANNOTATION = "io.kubevirt.disk.size";
  private static final Pattern QUANTITY = Pattern.compile("([0-9]{1,19})([kMGTPE]|[KMGTPE]i)?");
  private static final String UNITS = "KMGTPE";

  private DiskSize() {}

  /// Returns the size in bytes; empty if there is no annotation, or if the size is zero.
  ///
  /// @throws MalformedImageException if the value is not a whole number with an optional suffix
  ///   such as `G` or `Gi`, or exceeds 2⁶³-1 bytes
  static OptionalLong of(Descriptor layer) throws MalformedImageException {
    String text = layer.annotations().getOrDefault(ANNOTATION, "0");
    Matcher quantity = QUANTITY.matcher(text);
    if (!quantity.matches()) {
      throw malformed(text);
    }
    try {
      long size = Math.multiplyExact(Long.parseLong(quantity.group(1)), unit(quantity.group(2)));
      return size > 0 ? OptionalLong.of(size) : OptionalLong.empty();
    } catch (ArithmeticException | NumberFormatException e) {
      MalformedImageException malformed = malformed(text);
      malformed.initCause(e);
      throw malformed;
    }
  }

  private static long unit(@Nullable String suffix) {
    if (suffix == null) {
      return 1;
    }
    int power = 1 + UNITS.indexOf(Character.toUpperCase(suffix.charAt(0)));
    return Math.powExact(suffix.endsWith("i") ? 1024L : 1000L, power);
  }

  private static MalformedImageException malformed(String text) {
    return new MalformedImageException(
        "annotation " + ANNOTATION,
        -1,
        "expected bytes such as 1073741824 or 10Gi, found " + Quoted.of(text));
  }
}

package dev.pvcpopulators.imagetoqcow2layers.store;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The names of the files in the directory of layers.
///
/// | Name                         | File                                                         |
/// |------------------------------|--------------------------------------------------------------|
/// | as [LayerKey#fileName]       | a layer                                                      |
/// | `.making-LAYER-RANDOM.qcow2` | a layer that is being made, or that a crash left             |
/// | `.lock-LAYER`                | locked while LAYER is made, or while leftovers are removed   |
/// | `.record-LAYER`              | the record of LAYER, see [LayerRecord]                       |
/// | `.record-making-LAYER-…`     | a record that is being written, or that a crash left         |
/// | `.use-RANDOM`                | the layers that a conversion needs; locked by the conversion |
/// | `.collect`                   | see [LayerUse#lockUses]                                      |
final class StoreNames {
  static final String SUFFIX = ".qcow2";
  static final String MAKING = ".making-";
  static final String LOCK = ".lock-";
  static final String RECORD = ".record-";
  static final String USE = ".use-";
  static final String MAKING_RECORD = ".record-making-";
  static final String COLLECT = ".collect";

  private static final Pattern LAYER =
      Pattern.compile("(?:[0-9a-f]{64}|[0-9a-f]{128})-v[0-9]{1,9}-[0-9]{1,9}m(?:-zstd)?\\.qcow2");
  private static final Pattern MADE =
      Pattern.compile(Pattern.quote(MAKING) + "(.*)-[0-9a-f]{16}\\.qcow2");

  private StoreNames() {}

  /// Returns whether a name is a layer's name, regardless of the version of this software that made
  /// the layer.
  static boolean layer(String name) {
    return LAYER.matcher(name).matches();
  }

  static String making(String layer) {
    return MAKING + layer + "-" + random() + SUFFIX;
  }

  /// Returns the name of the layer that an unfinished file will become; empty for other names.
  static Optional<String> made(String name) {
    Matcher matcher = MADE.matcher(name);
    return matcher.matches() && layer(matcher.group(1))
        ? Optional.of(matcher.group(1))
        : Optional.empty();
  }

  static String lock(String layer) {
    return LOCK + layer;
  }

  static String record(String layer) {
    return RECORD + layer;
  }

  static String makingRecord(String layer) {
    return MAKING_RECORD + layer + "-" + random();
  }

  static String use() {
    return USE + random();
  }

  private static String random() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }
}

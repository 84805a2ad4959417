package dev.pvcpopulators.registrycopy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.kit.disk.CopyDetails;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.disk.FoundDisk;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The details of a copy: the fields of [CopyDetails], and the fields in the following table. Each
/// detail is added when it is known. The status and a job's result show all details.
///
/// | Field          | Meaning                                                             |
/// |----------------|---------------------------------------------------------------------|
/// | `image`        | the reference of the image                                          |
/// | `digest`       | the digest of the manifest                                          |
/// | `platform`     | platform from the index, otherwise from the image's configuration   |
/// | `layer`        | digest of the layer with the disk                                   |
/// | `path`         | the path of the disk in the image                                   |
/// | `environment`  | variables of the image with `KUBEVIRT_IO_` in their names           |
/// | `labels`       | the labels that CDI derives from these variables, and the           |
/// |                | image's labels with `kubevirt.io/` in their names                   |
final class CopyReport extends CopyDetails {
  /// The maximum number of UTF-8 bytes of all labels together. The same maximum applies to all
  /// variables together. The limit is needed because the whole result has at most 4,096 bytes.
  private static final int MOST = 700;

  /// The maximum number of characters of a disk's path. Paths and platforms are limited, because
  /// the author of the image chooses them.
  private static final int PATH_SHOWN = 300;

  private static final int PLATFORM_SHOWN = 60;

  private static final String VARIABLE = "KUBEVIRT_IO_";
  private static final String LABEL = "kubevirt.io/";

  private final ObjectNode fields = fields();

  CopyReport(SourceReference reference) {
    fields.put("image", reference.toString());
  }

  /// Adds the details of the manifest and the configuration. Returns all details.
  ObjectNode resolved(Image image) {
    fields.put("digest", image.digest().toString());
    image
        .platform()
        .ifPresent(
            platform -> fields.put("platform", Quoted.plain(platform.toString(), PLATFORM_SHOWN)));
    image.config().ifPresent(this::conventions);
    return fields;
  }

  /// Adds the details of the disk that was found. Returns all details.
  ObjectNode found(FoundDisk disk) {
    return fields
        .put("layer", disk.layer().digest().toString())
        .put("path", Quoted.plain(disk.path(), PATH_SHOWN));
  }

  private void conventions(ImageConfig config) {
    Map<String, String> variables = new TreeMap<>();
    Map<String, String> labels = new TreeMap<>();
    for (String entry : config.environment()) {
      int equals = entry.indexOf('=');
      if (equals > 0 && entry.substring(0, equals).contains(VARIABLE)) {
        String name = entry.substring(0, equals);
        variables.put(name, entry.substring(equals + 1));
        labels.put(label(name), entry.substring(equals + 1));
      }
    }
    config
        .labels()
        .forEach((name, value) -> {
          if (name.contains(LABEL)) {
            labels.put(name, value);
          }
        });
    put("environment", variables);
    put("labels", labels);
  }

  /// Returns the label that CDI derives from a variable:
  /// `instancetype.kubevirt.io/default-preference` for
  /// `INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE`.
  static String label(String variable) {
    int at = variable.indexOf(VARIABLE);
    String domain = variable.substring(0, at).replace('_', '.');
    String name = variable.substring(at + VARIABLE.length()).replace('_', '-');
    return (domain + LABEL + name).toLowerCase(Locale.ROOT);
  }

  private void put(String field, Map<String, String> entries) {
    if (entries.isEmpty()) {
      return;
    }
    ObjectNode kept = fields.putObject(field);
    int length = 0;
    for (Map.Entry<String, String> entry : entries.entrySet()) {
      // Omits an entry if its name or value is longer than MOST characters, or contains control
      // characters or invisible characters. When the sum of the lengths exceeds MOST bytes, omits
      // this entry and all further entries.
      String name = entry.getKey();
      String value = entry.getValue();
      if (name.equals(Quoted.plain(name, MOST)) && value.equals(Quoted.plain(value, MOST))) {
        length += name.getBytes(UTF_8).length + value.getBytes(UTF_8).length;
        if (length <= MOST) {
          kept.put(name, value);
        }
      }
    }
  }
}

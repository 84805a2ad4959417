package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/// The settings of this service, without the settings that all services share (prefix `populator`).
@CheckedBy(UploadRules.class)
@ConfigMapping(prefix = "http-upload")
public interface HttpUploadSettings {
  @Described(
      "Format of uploads: 'auto' detects it by magic numbers; "
          + ImageFormat.NAMES
          + " accepts only that. ?format= of a request takes precedence")
  @WithDefault("auto")
  String format();

  @Described(
      "Computes the SHA-256 of every upload, shows it in the status and stores it with"
          + " the disk. Digests that a client sends are always verified")
  @WithDefault("false")
  boolean digest();

  @Described("How long an interrupted upload can be resumed")
  @WithDefault("10m")
  Duration resumeWindow();

  @Described("How long a connection may be silent before it counts as lost")
  @WithDefault("60s")
  Duration idleTimeout();

  @Described(
      "Minimum rate in bytes per second, averaged over HTTP_UPLOAD_IDLE_TIMEOUT; a"
          + " slower connection counts as lost. 0: no minimum")
  @WithDefault("1024")
  int leastRate();
}

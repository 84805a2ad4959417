package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/// The settings of this service; those that all services share begin with `populator`.
@CheckedBy(UploadRules.class)
@ConfigMapping(prefix = "http-upload")
public interface HttpUploadSettings {
  @Described(
      "Format of what is uploaded: 'auto' goes by magic numbers; raw, qcow2, vmdk, vdi, vhd and vhdx"
          + " take everything as that or refuse it. ?format= in a request goes first")
  @WithDefault("auto")
  String format();

  @Described(
      "Whether the SHA-256 of every upload is computed, to be shown in the status and kept with the"
          + " disk. What a client promises is verified in any case")
  @WithDefault("false")
  boolean digest();

  @Described("How long an upload that broke off waits for its continuation")
  @WithDefault("10m")
  Duration resumeWindow();

  @Described("How long a connection may bring nothing before it counts as broken off")
  @WithDefault("60s")
  Duration idleTimeout();

  @Described(
      "Bytes a second, as the mean of HTTP_UPLOAD_IDLE_TIMEOUT, below which a connection counts as"
          + " broken off; 0 for no such bound")
  @WithDefault("1024")
  int leastRate();
}

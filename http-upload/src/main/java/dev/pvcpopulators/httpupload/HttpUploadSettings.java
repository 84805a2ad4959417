package dev.pvcpopulators.httpupload;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/// What can be set for this service alone; the settings that all services share begin with
/// `populator`.
@ConfigMapping(prefix = "http-upload")
interface HttpUploadSettings {
  /// Format of what is uploaded: `auto` finds it by magic numbers, `raw`, `qcow2`, `vmdk`, `vdi`,
  /// `vhd` and `vhdx` refuse or take everything else as that. A request's `?format=` goes first.
  @WithDefault("auto")
  String format();

  /// Whether to compute the SHA-256 of every upload, also where the client promised none: it is
  /// shown by `/volume/status` and kept with the disk.
  @WithDefault("true")
  boolean digest();

  /// How long an upload that broke off may wait for its continuation before it is discarded.
  @WithDefault("10m")
  Duration resumeWindow();

  /// How long a connection may bring nothing, while we wait for it, before it counts as broken off.
  @WithDefault("60s")
  Duration idleTimeout();
}

package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Path;

/// What a layer is compressed by, and how each family of media types says so.
public enum Packing {
  NONE("cat", "", ""),
  GZIP("pigz -1", ".gzip", "+gzip"),
  /// As long as what is in it, and made in no time.
  GZIP_STORED("pigz -0", ".gzip", "+gzip"),
  ZSTD("zstd -q -3", ".zstd", "+zstd");

  private final String command;
  private final String dockerSuffix;
  private final String ociSuffix;

  Packing(String command, String dockerSuffix, String ociSuffix) {
    this.command = command;
    this.dockerSuffix = dockerSuffix;
    this.ociSuffix = ociSuffix;
  }

  /// Compresses a file into another.
  public void pack(Path plain, Path packed) throws IOException {
    Command.into(packed, "sh", "-c", command + " < \"$0\"", plain.toString());
  }

  public String mediaType(Family family) {
    return switch (family) {
      case OCI -> "application/vnd.oci.image.layer.v1.tar" + ociSuffix;
      case DOCKER -> "application/vnd.docker.image.rootfs.diff.tar" + dockerSuffix;
    };
  }
}

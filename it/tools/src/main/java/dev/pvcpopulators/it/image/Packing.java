package dev.pvcpopulators.it.image;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Path;

/// The compression of a layer, and the name of the compression in each family of media types.
public enum Packing {
  NONE("cat", "", ""),
  GZIP("pigz -1", ".gzip", "+gzip"),
  /// A gzip stream with stored blocks only. The stream is about as long as its content, and pigz
  /// makes the stream quickly.
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

  /// Compresses a file, and writes the result to another file.
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

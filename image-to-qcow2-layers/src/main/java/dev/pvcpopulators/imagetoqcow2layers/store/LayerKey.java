package dev.pvcpopulators.imagetoqcow2layers.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.registry.Digest;
import java.util.ArrayList;
import java.util.List;

/// The key of a layer's file: all inputs that determine the bytes of the file, except
/// [#WRITER_VERSION].
///
/// @param geometry the geometry of the file system
/// @param compression whether clusters are compressed
/// @param chainId the chain ID, which identifies the layer together with all layers below it (OCI
///   image-spec 1.1, config.md, "Layer ChainID")
public record LayerKey(Geometry geometry, boolean compression, Digest chainId) {
  /// The version of the code that makes layers. The version must change whenever changed code makes
  /// other bytes from the same input.
  public static final int WRITER_VERSION = 2;

  /// Returns the keys of an image's layers, from the bottom up.
  public static List<LayerKey> of(Geometry geometry, boolean compression, List<Digest> diffIds) {
    List<LayerKey> keys = new ArrayList<>(diffIds.size());
    for (Digest diffId : diffIds) {
      Digest chainId = keys.isEmpty() ? diffId : chained(keys.getLast().chainId(), diffId);
      keys.add(new LayerKey(geometry, compression, chainId));
    }
    return keys;
  }

  private static Digest chained(Digest below, Digest diffId) {
    return Digest.of(Digest.Algorithm.SHA256, (below + " " + diffId).getBytes(UTF_8));
  }

  /// Returns the name of the layer's file. For a file system of 10,240 MiB, the name is
  /// `HASH-v2-10240m.qcow2`, or `HASH-v2-10240m-zstd.qcow2` if clusters are compressed; `HASH` is
  /// the hexadecimal part of the chain ID. The name has no prefix such as `sha256:`, because QEMU
  /// interprets the text before a colon as a protocol; the length of the hash identifies the
  /// algorithm.
  public String fileName() {
    // This code uses no formatter, because some locales use other digits.
    return chainId.hex()
        + ("-v" + WRITER_VERSION)
        + ("-" + geometry.size() / Geometry.GRANULE + "m")
        + (compression ? "-zstd" : "")
        + StoreNames.SUFFIX;
  }
}

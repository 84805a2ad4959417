package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;

/// The set of host clusters that have an owner. The owner of a cluster is the header, a table, a
/// refcount block, one guest cluster, or a group of compressed extents that share the cluster. The
/// image is refused if a cluster would get a second owner, because then two structures overlap, or
/// the tables form a loop. There is one exception: if a refcount block is in a cluster that already
/// has an owner, the refcount block is ignored. The purpose of a cluster without an owner is not
/// known yet.
final class HostClaims {
  private final ClusterBitmap exclusive = new ClusterBitmap();
  private final ClusterBitmap shared = new ClusterBitmap();
  private final int clusterBits;
  private final int limit;

  /// Creates an empty set.
  ///
  /// @param limit maximum memory in bytes
  HostClaims(int clusterBits, int limit) {
    this.clusterBits = clusterBits;
    this.limit = limit;
  }

  /// Claims, for one owner, each cluster that overlaps a range of host bytes.
  ///
  /// @param structure the owner, for the message of the exception
  /// @throws MalformedImageException if one of the clusters already has an owner
  void claim(String structure, long hostOffset, long length) throws IOException {
    long last = lastCluster(hostOffset, length);
    for (long cluster = hostOffset >>> clusterBits; cluster <= last; cluster++) {
      if (exclusive.get(cluster) || shared.get(cluster)) {
        throw taken(structure, hostOffset, cluster);
      }
      exclusive.set(cluster);
      requireRoom();
    }
  }

  /// Claims a cluster whose content is not needed. Does nothing if the cluster already has an
  /// owner.
  void disown(long hostOffset) throws IOException {
    if (!exclusive(hostOffset) && !shared(hostOffset)) {
      exclusive.set(hostOffset >>> clusterBits);
      requireRoom();
    }
  }

  /// Claims the clusters of a compressed extent; other compressed extents may claim the same
  /// clusters.
  ///
  /// @throws MalformedImageException if one of the clusters has an owner that does not share it
  void share(long hostOffset, int length) throws IOException {
    long last = lastCluster(hostOffset, length);
    for (long cluster = hostOffset >>> clusterBits; cluster <= last; cluster++) {
      if (exclusive.get(cluster)) {
        throw taken("compressed cluster", hostOffset, cluster);
      }
      shared.set(cluster);
      requireRoom();
    }
  }

  boolean exclusive(long hostOffset) {
    return exclusive.get(hostOffset >>> clusterBits);
  }

  boolean shared(long hostOffset) {
    return shared.get(hostOffset >>> clusterBits);
  }

  private long lastCluster(long hostOffset, long length) {
    return (hostOffset + length - 1) >>> clusterBits;
  }

  private MalformedImageException taken(String structure, long hostOffset, long cluster) {
    return new MalformedImageException(
        structure,
        hostOffset,
        "the host cluster at byte %d is in use for something else already"
            .formatted(cluster << clusterBits));
  }

  private void requireRoom() throws UnsupportedFeatureException {
    if (exclusive.length() + shared.length() > limit) {
      throw new UnsupportedFeatureException(
          "The image is too fragmented: to know which of its clusters are in use takes more than "
              + limit
              + " bytes of memory; write it anew with `qemu-img convert`");
    }
  }
}

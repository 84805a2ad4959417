package dev.pvcpopulators.diskimage.qcow2.write;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import dev.pvcpopulators.diskimage.qcow2.format.CompressedDescriptor;
import dev.pvcpopulators.diskimage.qcow2.format.L2Entry;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// Compresses guest clusters with zstd and packs them into consecutive host clusters, as QEMU does.
/// A compressed cluster may continue in the next host cluster if both are neighbours in the file.
/// The number of compressed clusters in a host cluster always fits into a 16-bit refcount: a zstd
/// frame has at least 11 bytes, and at least 9 plus 4 for every 128 KiB of its content, so a host
/// cluster of the largest size contains fewer than 30,000 frames.
final class PackedClusters implements AutoCloseable {
  /// Fixed, like every other parameter, so that the same cluster always gives the same bytes.
  private static final int LEVEL = 3;

  private final HostFile host;
  private final int clusterBits;
  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private final byte[] plain;
  private final byte[] packed;

  /// Position of the next compressed cluster, within the host cluster that ends at `end`; both are
  /// 0 at first.
  private long next;

  private long end;

  /// Creates a packer.
  ///
  /// @param host the file; the caller closes it
  PackedClusters(HostFile host, int clusterBits) {
    this.host = host;
    this.clusterBits = clusterBits;
    this.plain = new byte[1 << clusterBits];
    this.packed = new byte[Math.toIntExact(Zstd.compressBound(plain.length))];
    context.setLevel(LEVEL).setContentSize(true).setChecksum(false).setDictID(false);
  }

  /// Writes a cluster if compression makes it smaller.
  ///
  /// @param bytes memory that contains the cluster
  /// @return the entry that maps the cluster; unallocated if nothing was written
  L2Entry add(MemorySegment bytes, long at) throws IOException {
    MemorySegment.ofArray(plain).copyFrom(bytes.asSlice(at, plain.length));
    int length = context.compressByteArray(packed, 0, packed.length, plain, 0, plain.length);
    if (length >= plain.length) {
      return L2Entry.UNALLOCATED;
    }
    long offset = place(length);
    host.replace(offset, MemorySegment.ofArray(packed), 0, length);
    return L2Entry.compressed(CompressedDescriptor.of(offset, length, clusterBits));
  }

  private long place(int length) throws IOException {
    if (end - next < length) {
      if (end != host.length()) {
        next = host.length();
        end = next;
      }
      host.appendZeros(plain.length);
      end += plain.length;
    }
    long offset = next;
    next += length;
    return offset;
  }

  @Override
  public void close() {
    context.close();
  }
}

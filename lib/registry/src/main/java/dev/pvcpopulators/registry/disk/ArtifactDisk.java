package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.SniffedStream;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.MediaTypes;
import dev.pvcpopulators.registry.TransferListener;
import dev.pvcpopulators.registry.layer.PulledBlob;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A stream of a disk that is a complete layer.
///
/// If KubeVirt's annotation ([DiskSize]) gives the disk's size, a compressed layer is decompressed,
/// and the disk must have exactly that size. If no annotation gives the size, the disk consists of
/// the unchanged bytes of the layer.
final class ArtifactDisk extends BulkInputStream {
  private final PulledBlob blob;
  private final InputStream plain;
  private final long length;
  private long position;
  private @Nullable IOException failure;

  private ArtifactDisk(PulledBlob blob, InputStream plain, long length) {
    this.blob = blob;
    this.plain = plain;
    this.length = length;
  }

  /// A disk that is being pulled.
  ///
  /// @param stored true if the blob does not begin like a compressed stream, and therefore stores
  ///   the disk's bytes unchanged
  private record Begun(InputStream stream, boolean stored) {}

  /// Starts pulling the disk.
  ///
  /// @param index the index of the layer
  static FoundDisk open(LayerSource source, int index) throws IOException {
    Descriptor layer = source.layer(index);
    MediaTypes.requireReadable(layer, "Cannot read the disk in layer " + layer.digest() + ":");
    OptionalLong diskSize =
        LayerTypes.kubeVirtDisk(layer) ? DiskSize.of(layer) : OptionalLong.empty();
    Begun begun = begin(source, index, diskSize);
    return new FoundDisk(
        ArtifactLayers.name(layer),
        diskSize.isPresent() ? diskSize : OptionalLong.of(layer.size()),
        begun.stored() && diskSize.orElse(layer.size()) == layer.size()
            ? Optional.of(new StoredRange(layer, 0, layer.size()))
            : Optional.empty(),
        List.of(layer),
        source.blobs(),
        begun.stream(),
        () -> {
          source.listener().restarted();
          return begin(source, index, diskSize).stream();
        });
  }

  private static Begun begin(LayerSource source, int index, OptionalLong diskSize)
      throws IOException {
    PulledBlob blob = source.pull(index, TransferListener.NONE);
    return source.read(
        index,
        blob,
        () -> {
          SniffedStream head =
              SniffedStream.open(diskSize.isEmpty() ? blob.stream() : blob.content());
          boolean stored = !(head.sniffed() instanceof Sniffed.Compressed);
          if (diskSize.isEmpty()) {
            return new Begun(head, stored);
          }
          InputStream plain =
              head.sniffed() instanceof Sniffed.Compressed(var compression)
                  ? LayerEntries.inflate(compression, head)
                  : head;
          return new Begun(new ArtifactDisk(blob, plain, diskSize.getAsLong()), stored);
        });
  }

  @Override
  public int read(byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (failure != null) {
      throw failure;
    }
    try {
      int given = plain.read(target, offset, count);
      position += Math.max(given, 0);
      if (given < 0 ? position < length : position > length) {
        throw new MalformedImageException(
            "disk",
            position,
            "expected %s bytes as its annotation says, found %s"
                .formatted(length, given < 0 ? "the end" : "more"));
      }
      if (given < 0 && !blob.complete()) {
        throw new MalformedImageException(
            "disk", -1, "expected its end after the compressed stream, found more bytes");
      }
      return given;
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public int available() throws IOException {
    return plain.available();
  }

  @Override
  public void close() throws IOException {
    try (blob) {
      plain.close();
    }
  }
}

package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.LayerEdit;
import dev.pvcpopulators.ext4.Leaks;
import dev.pvcpopulators.ext4.MemoryBlocks;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import dev.pvcpopulators.fuzz.Feed;
import dev.pvcpopulators.fuzz.MendedTar;
import dev.pvcpopulators.fuzz.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Fuzzes the layers of a container image. This target applies the layers to a file system, one
/// after the other. Each layer must be accepted, or be refused with a valid message. After the
/// removal of all entries, no block or inode may be leaked.
///
/// The first byte of the input selects whether this target corrects the checksums of tar headers,
/// and how it divides the rest of the input into layers.
public final class LayerFuzz {
  private static final int BLOCK = 512;

  private LayerFuzz() {}

  /// Applies the layers, removes all entries, and checks for leaks.
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    MemoryBlocks device = apply(data);
    Leaks.check(device);
  }

  /// Applies the layers until a layer is refused.
  ///
  /// @return a file system that must be consistent
  public static MemoryBlocks apply(byte[] data) throws IOException {
    Feed feed = new Feed(data);
    int how = feed.next();
    int first = (how >> 1) * BLOCK;
    List<byte[]> layers = new ArrayList<>();
    if (first > 0) {
      layers.add(feed.take(first));
    }
    layers.add(feed.rest());
    MemoryBlocks device = MemoryBlocks.empty();
    for (byte[] layer : layers) {
      MemoryBlocks next = device.copy();
      if (!apply((how & 1) == 0 ? MendedTar.of(layer) : layer, next)) {
        break;
      }
      device = next;
    }
    return device;
  }

  private static boolean apply(byte[] tar, MemoryBlocks device) throws IOException {
    try (LayerEdit edit = LayerEdit.open(device)) {
      LayerApplication.apply(new ByteArrayInputStream(tar), edit);
      edit.finish();
      return true;
    } catch (MalformedImageException
        | UnsupportedFeatureException
        | FileSystemFullException
        | UnrepresentableException e) {
      Refusal.check(e);
      return false;
    }
  }
}

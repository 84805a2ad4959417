package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Sniffer;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.fuzz.Feed;
import dev.pvcpopulators.fuzz.MemoryDisk;
import dev.pvcpopulators.fuzz.Pieces;
import dev.pvcpopulators.fuzz.Refusal;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Fuzzes the import of a source: format detection, all decompressions, and the search for a disk
/// in a tar. Compressions and tars may be nested in any order. An import must succeed, or must
/// refuse the source with a valid message. If the import in large pieces succeeds, the import in
/// smaller pieces must give the same disk.
///
/// The first byte of the input selects the size of the pieces and the format. The rest of the input
/// is the source.
public final class ImportFuzz {
  private static final int CAPACITY = 4 << 20;
  private static final List<ImageFormat> FORMATS = List.of(ImageFormat.values());
  private static final int[] PIECES = {1 << 20, 512, 77, 5};

  private ImportFuzz() {}

  /// Imports the source in large pieces. If the source has fewer than 4,096 pieces of the selected
  /// size, imports the source again in these pieces, with a known length.
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    Feed feed = new Feed(data);
    int how = feed.next();
    byte[] source = feed.rest();
    Optional<ImageFormat> format =
        (how & 4) == 0 ? Optional.empty() : Optional.of(FORMATS.get((how >> 3) % FORMATS.size()));
    sniff(source);
    Optional<MemoryDisk> whole = imported(source, 1 << 20, OptionalLong.empty(), format);
    int piece = PIECES[how & 3];
    if (source.length / piece < 4096) {
      Optional<MemoryDisk> pieces = imported(source, piece, OptionalLong.of(source.length), format);
      if (whole.isPresent() && pieces.isPresent()) {
        same(whole.get(), pieces.get());
      }
      if (whole.isPresent() && pieces.isEmpty()) {
        throw new AssertionError("Refused in pieces of " + piece + " bytes, but not in large ones");
      }
    }
  }

  private static void sniff(byte[] source) {
    byte[] head = Arrays.copyOf(source, Math.min(source.length, Sniffer.HEAD_LENGTH));
    if (!Sniffer.sniff(source, source.length).equals(Sniffer.sniff(head, head.length))) {
      throw new AssertionError("The bytes after the head change the recognised format");
    }
  }

  private static Optional<MemoryDisk> imported(
      byte[] source, int piece, OptionalLong length, Optional<ImageFormat> format)
      throws IOException {
    MemoryDisk disk = new MemoryDisk(CAPACITY, false, true);
    try {
      ImportedImage image =
          DiskImport.stream(new Pieces(source, piece), length, disk, format, ImportListener.NONE);
      if (image.virtualSize() != disk.size()) {
        throw new AssertionError("announced " + disk.size() + ", found " + image.virtualSize());
      }
      return Optional.of(disk);
    } catch (MalformedImageException | UnsupportedFeatureException | ExceedsVolumeException e) {
      Refusal.check(e);
      return Optional.empty();
    }
  }

  private static void same(MemoryDisk one, MemoryDisk other) {
    int length = (int) Math.min(one.size(), CAPACITY);
    if (one.size() != other.size() || !Arrays.equals(one.content(length), other.content(length))) {
      throw new AssertionError("The disk depends on the size of the pieces");
    }
  }
}

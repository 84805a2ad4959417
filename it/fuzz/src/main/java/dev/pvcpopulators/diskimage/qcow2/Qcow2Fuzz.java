package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Passes;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import dev.pvcpopulators.fuzz.Feed;
import dev.pvcpopulators.fuzz.MemoryDisk;
import dev.pvcpopulators.fuzz.Pieces;
import dev.pvcpopulators.fuzz.Refusal;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/// Fuzzes the qcow2 reader. For each image, the reader must throw an exception whose message
/// [Refusal] accepts, or must give the same bytes as [PlainQcow2] if [PlainQcow2] can read the
/// image.
///
/// This target decodes each image in one pass with [dev.pvcpopulators.diskimage.Staging], and in
/// several passes without staging. The two results may differ only if one of the two decodings
/// refuses the image as unsupported or too large.
///
/// The first byte of the input selects the size of the pieces, whether the length of the image is
/// known, and the limits of the reader. The rest of the input is the image.
public final class Qcow2Fuzz {
  private static final int CAPACITY = 8 << 20;
  private static final int COMPARED = 2 << 20;
  private static final int[] PIECES = {1 << 20, 4096, 512, 77};
  private static final Qcow2Limits TIGHT = new Qcow2Limits(4096, 8, 1 << 10, 1);

  private Qcow2Fuzz() {}

  /// Decodes the image in one pass, then in several passes. If decoding in one pass succeeds,
  /// [PlainQcow2] also reads the image.
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    Feed feed = new Feed(data);
    int how = feed.next();
    byte[] image = feed.rest();
    int piece = PIECES[how & 3];
    OptionalLong length = (how & 4) == 0 ? OptionalLong.empty() : OptionalLong.of(image.length);
    Qcow2Limits limits = (how & 8) == 0 ? new Qcow2Limits(1 << 16, 64, 1 << 16, 1) : TIGHT;

    MemoryDisk once = new MemoryDisk(CAPACITY, true, true);
    Outcome first = decode(image, piece, length, limits, once);
    MemoryDisk again = new MemoryDisk(CAPACITY, true, false);
    Outcome second = decodeInPasses(image, piece, length, limits, again);
    if ((first == Outcome.DECODED && second == Outcome.MALFORMED)
        || (first == Outcome.MALFORMED && second == Outcome.DECODED)) {
      throw new AssertionError("one pass: " + first + ", several: " + second);
    }
    if (first == Outcome.DECODED) {
      int compared = (int) Math.min(once.size(), COMPARED);
      byte[] content = once.content(compared);
      if (second == Outcome.DECODED) {
        same("several passes", content, again.content(compared));
      }
      Optional<byte[]> plain = PlainQcow2.read(image, compared);
      if (plain.isPresent()) {
        same("another reader", content, plain.get());
      }
    }
  }

  private enum Outcome {
    DECODED,
    MALFORMED,
    /// The reader does not support the image, or the sum of written and staged bytes would exceed
    /// `CAPACITY`.
    DECLINED
  }

  private static Outcome decode(
      byte[] image, int piece, OptionalLong length, Qcow2Limits limits, MemoryDisk disk)
      throws IOException {
    try {
      long size = new Qcow2Reader(limits).decode(new Pieces(image, piece), length, disk);
      if (size != disk.size()) {
        throw new AssertionError("announced " + disk.size() + ", returned " + size);
      }
      return Outcome.DECODED;
    } catch (MalformedImageException e) {
      Refusal.check(e);
      return Outcome.MALFORMED;
    } catch (UnsupportedFeatureException | ExceedsVolumeException e) {
      Refusal.check(e);
      return Outcome.DECLINED;
    }
  }

  private static Outcome decodeInPasses(
      byte[] image, int piece, OptionalLong length, Qcow2Limits limits, MemoryDisk disk)
      throws IOException {
    try (Qcow2Passes passes = new Qcow2Reader(limits).passes(disk)) {
      while (!passes.complete()) {
        passes.read(new Pieces(image, piece), length);
      }
      return Outcome.DECODED;
    } catch (MalformedImageException e) {
      Refusal.check(e);
      return Outcome.MALFORMED;
    } catch (UnsupportedFeatureException | ExceedsVolumeException e) {
      Refusal.check(e);
      return Outcome.DECLINED;
    }
  }

  private static void same(String other, byte[] content, byte[] expected) {
    int mismatch = Arrays.mismatch(content, expected);
    if (mismatch >= 0) {
      throw new AssertionError("The result of " + other + " differs at byte " + mismatch);
    }
  }
}

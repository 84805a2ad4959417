package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer.Options;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Writes a qcow2 file that has compressed clusters, and more L2 tables than the writer keeps in
/// memory. Therefore the writer evicts tables between compressed clusters. Runs in a separate
/// process, so that a test can choose the number of processors.
final class CompressedLayer {
  private static final long SIZE = 12L << 30;
  private static final long REGION = 2L << 20;
  private static final int BLOCK = 4096;

  private CompressedLayer() {}

  public static void main(String[] arguments) throws IOException {
    Random random = new Random(17);
    Options options = new Options(SIZE, 12, Optional.empty(), true);
    try (Qcow2Chain none = Qcow2Chain.open(List.of(), SIZE);
        Qcow2Writer writer = Qcow2Writer.create(Path.of(arguments[0]), options, none)) {
      for (int call = 0; call < 10_000; call++) {
        byte[] bytes = new byte[BLOCK];
        random.nextBytes(bytes);
        // Every fifth block consists only of random bytes, and cannot be compressed.
        Arrays.fill(bytes, 0, call % 5 * (BLOCK / 5), (byte) call);
        long at = random.nextLong(SIZE / REGION) * REGION + random.nextInt(8) * (long) BLOCK;
        writer.write(at, ByteBuffer.wrap(bytes));
      }
      writer.finish();
    }
  }
}

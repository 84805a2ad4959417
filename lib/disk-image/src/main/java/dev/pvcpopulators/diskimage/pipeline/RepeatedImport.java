package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Passes;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import java.io.IOException;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/// Imports a disk into a block device. For a qcow2 image whose data cannot be decoded in one pass,
/// this class reads the source again instead of staging the data.
///
/// If the source changed between two passes, the disk would contain data of two different images. A
/// source does not always detect this change. Therefore, this class compares the CRC-32C checksums
/// of the passes.
final class RepeatedImport {
  private final RepeatableSource source;
  private final VolumeWriter disk;
  private final FormatChoice format;
  private final ImportListener listener;
  private final CountingSink sink;

  RepeatedImport(
      RepeatableSource source, VolumeWriter disk, FormatChoice format, ImportListener listener) {
    this.source = source;
    this.disk = disk;
    this.format = format;
    this.listener = listener;
    this.sink = new CountingSink(disk, listener);
  }

  ImportedImage run() throws IOException {
    try (Qcow2Passes passes = new Qcow2Reader(Qcow2Limits.defaults()).passes(sink)) {
      CheckedInputStream first = open();
      SourceStack stack = SourceStack.open(first, source.length(), format);
      try (stack) {
        if (stack.format() != ImageFormat.QCOW2) {
          return DiskImport.decode(stack, disk, format, listener);
        }
        listener.recognised(stack.format(), stack.wrapping());
        passes.read(stack.top(), stack.length());
        stack.drain();
      }
      for (int pass = 2; !passes.complete(); pass++) {
        listener.readAgain(pass);
        readAgain(passes, stack, first.getChecksum().getValue());
      }
      return DiskImport.examined(stack, passes.virtualSize(), sink.head(), format);
    }
  }

  private void readAgain(Qcow2Passes passes, SourceStack first, long checksum) throws IOException {
    CheckedInputStream again = open();
    try (SourceStack stack = SourceStack.open(again, source.length(), format)) {
      if (stack.format() != first.format() || !stack.wrapping().equals(first.wrapping())) {
        throw changed();
      }
      passes.read(stack.top(), stack.length());
      stack.drain();
    }
    if (again.getChecksum().getValue() != checksum) {
      throw changed();
    }
  }

  private CheckedInputStream open() throws IOException {
    return new CheckedInputStream(source.open(), new CRC32C()) {
      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        // Each read checks for a cancellation. Each write also checks, but a pass may read the
        // whole source without a write.
        disk.requireNotCancelled();
        return super.read(target, offset, length);
      }
    };
  }

  private static MalformedImageException changed() {
    return new MalformedImageException("source", -1, "it gave other bytes when it was read again");
  }
}

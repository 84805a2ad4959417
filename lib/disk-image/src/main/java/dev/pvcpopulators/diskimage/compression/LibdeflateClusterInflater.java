package dev.pvcpopulators.diskimage.compression;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// libdeflate, twice as fast as zlib for whole buffers.
final class LibdeflateClusterInflater implements ClusterInflater {
  private final LibdeflateLibrary library;
  private final MemorySegment decompressor;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment consumed = arena.allocate(JAVA_LONG);
  private boolean closed;

  LibdeflateClusterInflater(LibdeflateLibrary library) {
    this.library = library;
    decompressor = library.allocate();
  }

  @Override
  public int inflateRaw(
      byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int outLength)
      throws MalformedImageException {
    if (closed) {
      throw new IllegalStateException("The inflater is closed");
    }
    int result =
        library.decompress(
            decompressor,
            MemorySegment.ofArray(in).asSlice(inOffset, inLength),
            MemorySegment.ofArray(out).asSlice(outOffset, outLength),
            consumed);
    if (result != LibdeflateLibrary.SUCCESS) {
      String found =
          switch (result) {
            case LibdeflateLibrary.SHORT_OUTPUT -> "fewer";
            case LibdeflateLibrary.INSUFFICIENT_SPACE -> "more";
            default -> "damaged or cut data";
          };
      throw new MalformedImageException(
          RawInflater.STRUCTURE,
          -1,
          "expected " + outLength + " bytes of data in " + inLength + " bytes, found " + found);
    }
    return Math.toIntExact(consumed.get(JAVA_LONG, 0));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      library.free(decompressor);
      arena.close();
    }
  }
}

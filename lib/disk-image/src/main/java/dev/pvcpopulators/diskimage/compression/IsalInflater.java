package dev.pvcpopulators.diskimage.compression;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// An inflater that uses Intel's ISA-L: twice as fast as zlib on disk images, six times as fast on
/// runs of zeros.
///
/// The library's state contains the addresses of the input and output buffers, also between calls.
/// Therefore these buffers are outside the heap, and bytes are copied in and out. The copies cost
/// little compared with inflating.
final class IsalInflater implements RawInflater {
  private static final int INPUT_CAPACITY = 64 << 10;
  private static final int OUTPUT_CAPACITY = 256 << 10;

  private final IsalLibrary library;
  private final Arena arena = Arena.ofShared();
  private final IsalState state = new IsalState(arena.allocate(IsalState.ALLOCATION, 64));
  private final MemorySegment input = arena.allocate(INPUT_CAPACITY, 64);
  private final MemorySegment output = arena.allocate(OUTPUT_CAPACITY, 64);
  private int outputPosition;
  private int outputLimit;
  private boolean outputFull;
  private boolean closed;

  IsalInflater(IsalLibrary library) {
    this.library = library;
    reset();
  }

  @Override
  public int inflate(SourceBuffer source, byte[] target, int offset, int length)
      throws IOException {
    while (outputPosition == outputLimit) {
      if (state.finished()) {
        return -1;
      }
      decode(source);
    }
    int count = Math.min(length, outputLimit - outputPosition);
    MemorySegment.copy(output, JAVA_BYTE, outputPosition, target, offset, count);
    outputPosition += count;
    return count;
  }

  private void decode(SourceBuffer source) throws IOException {
    // If the output was full, the library's state may hold more output: call the library again,
    // even at the end of the source.
    if (!source.fill() && !outputFull) {
      throw new MalformedImageException(
          STRUCTURE, source.offset(), "expected more data, found the end of the source");
    }
    int offered = Math.min(source.remaining(), INPUT_CAPACITY);
    MemorySegment.copy(source.bytes(), source.position(), input, JAVA_BYTE, 0, offered);
    state.input(input, offered);
    state.output(output);
    int result = library.inflate(state);
    source.consume(offered - state.inputAvailable());
    if (result != IsalLibrary.DECOMP_OK) {
      throw new MalformedImageException(STRUCTURE, source.offset(), reason(result));
    }
    outputPosition = 0;
    outputLimit = OUTPUT_CAPACITY - state.outputAvailable();
    outputFull = outputLimit == OUTPUT_CAPACITY;
    if (outputLimit < 0 || outputLimit > OUTPUT_CAPACITY) {
      throw new IllegalStateException("libisal reports an output of " + outputLimit + " bytes");
    }
    if (outputLimit == 0 && state.inputAvailable() == offered && !state.finished()) {
      throw new MalformedImageException(STRUCTURE, source.offset(), "libisal makes no progress");
    }
    if (state.finished()) {
      source.consume(-state.takeUnusedBytes());
    }
  }

  private static String reason(int result) {
    return switch (result) {
      case IsalLibrary.INVALID_BLOCK -> "invalid block";
      case IsalLibrary.INVALID_SYMBOL -> "invalid symbol";
      case IsalLibrary.INVALID_LOOKBACK -> "distance too far back";
      default -> "libisal answered " + result;
    };
  }

  @Override
  public void reset() {
    outputPosition = 0;
    outputLimit = 0;
    outputFull = false;
    library.initialise(state);
    state.plainDeflate();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      arena.close();
    }
  }
}

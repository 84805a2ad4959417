package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.Deflater;

/// Tests whether a loaded ISA-L has the state layout that [IsalState] describes.
///
/// The JDK compresses a sample that is larger than the output buffer of [IsalInflater]. Other bytes
/// follow each deflate stream; [IsalInflater] must not consume these bytes.
final class IsalSelfTest {
  private static final int SAMPLE_LENGTH = 600_000;
  private static final int TRAILER_LENGTH = 5;

  /// A damaged stream: a final block (bit 0) of the reserved type 3 (bits 1 and 2).
  private static final byte[] DAMAGED = {7, 0, 0, 0, 0, 0, 0, 0};

  private IsalSelfTest() {}

  /// Returns the reason why the test failed; empty if the test passes.
  static Optional<String> run(IsalLibrary library) {
    byte[] sample = sample();
    byte[] stream = deflated(sample);
    byte[] twice = Arrays.copyOf(stream, 2 * stream.length);
    System.arraycopy(stream, 0, twice, stream.length, stream.length);
    try (IsalInflater inflater = new IsalInflater(library)) {
      SourceBuffer source = new SourceBuffer(new ByteArrayInputStream(twice));
      for (int i = 1; i <= 2; i++) {
        if (!Arrays.equals(sample, inflate(inflater, source))) {
          return Optional.of("it inflates a known stream to other data");
        }
        long expected = (long) i * stream.length - TRAILER_LENGTH;
        if (source.offset() != expected) {
          return Optional.of("it ends a known stream at byte " + source.offset());
        }
        source.skipNBytes(TRAILER_LENGTH);
        inflater.reset();
      }
      return detectsDamage(inflater);
    } catch (IOException | IllegalStateException | IndexOutOfBoundsException e) {
      // If the library's state has another layout, [IsalState] reads wrong values from it, which
      // can cause these exceptions.
      return Optional.of("it fails on a known stream: " + e.getMessage());
    }
  }

  private static Optional<String> detectsDamage(IsalInflater inflater) throws IOException {
    try {
      inflate(inflater, new SourceBuffer(new ByteArrayInputStream(DAMAGED)));
      return Optional.of("it accepts a damaged stream");
    } catch (MalformedImageException expected) {
      return Optional.empty();
    }
  }

  private static byte[] inflate(IsalInflater inflater, SourceBuffer source) throws IOException {
    byte[] output = new byte[SAMPLE_LENGTH + 1];
    int length = 0;
    int count = 0;
    while (count >= 0 && length < output.length) {
      length += count;
      count = inflater.inflate(source, output, length, output.length - length);
    }
    return Arrays.copyOf(output, length);
  }

  private static byte[] sample() {
    byte[] sample = new byte[SAMPLE_LENGTH];
    // Squares modulo a prime, a third of them replaced by zeros: this sample contains literals,
    // near and far matches, and long runs.
    for (int i = 0; i < SAMPLE_LENGTH; i++) {
      int x = i % 40_009;
      sample[i] = (byte) (i % 3000 < 1000 ? 0 : (long) x * x % 251);
    }
    return sample;
  }

  private static byte[] deflated(byte[] sample) {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    try (Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true)) {
      deflater.setInput(sample);
      deflater.finish();
      byte[] chunk = new byte[8192];
      while (!deflater.finished()) {
        stream.write(chunk, 0, deflater.deflate(chunk));
      }
    }
    stream.write(DAMAGED, 0, TRAILER_LENGTH);
    return stream.toByteArray();
  }
}

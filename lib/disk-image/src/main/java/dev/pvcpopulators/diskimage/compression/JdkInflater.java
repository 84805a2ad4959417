package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// An inflater that uses the JDK's zlib.
final class JdkInflater implements RawInflater {
  private final Inflater inflater = new Inflater(true);

  @Override
  public int inflate(SourceBuffer source, byte[] target, int offset, int length)
      throws IOException {
    while (!inflater.finished()) {
      if (!source.fill()) {
        throw new MalformedImageException(
            STRUCTURE, source.offset(), "expected more data, found the end of the source");
      }
      int available = source.remaining();
      inflater.setInput(source.bytes(), source.position(), available);
      try {
        int count = inflater.inflate(target, offset, length);
        source.consume(available - inflater.getRemaining());
        if (count > 0) {
          return count;
        }
      } catch (DataFormatException e) {
        throw MalformedImageException.of(STRUCTURE, source.offset(), e);
      }
      if (inflater.needsDictionary()) {
        throw new MalformedImageException(STRUCTURE, source.offset(), "it needs a dictionary");
      }
    }
    return -1;
  }

  @Override
  public void reset() {
    inflater.reset();
  }

  @Override
  public void close() {
    inflater.end();
  }
}

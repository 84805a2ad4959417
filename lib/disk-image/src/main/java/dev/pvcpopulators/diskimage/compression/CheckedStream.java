package dev.pvcpopulators.diskimage.compression;

import com.github.luben.zstd.ZstdException;
import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.UnsupportedOptionsException;

/// A stream of the bytes that a decoder returns. Exceptions of the source and
/// [UncheckedIOException]s pass through unchanged. All other exceptions that the decoder throws
/// become [MalformedImageException] or [UnsupportedFeatureException].
///
/// The decoder is opened by the first read, not by the constructor of this class. Some decoders
/// read a header in their own constructor, which would block the code that builds the pipeline.
final class CheckedStream extends BulkInputStream {
  /// Creates a decoder that reads the source.
  @FunctionalInterface
  interface Opener {
    InputStream open(SourceBuffer source) throws IOException;
  }

  private final String structure;
  private final SourceBuffer source;
  private final Opener opener;
  private @Nullable InputStream decoder;
  private @Nullable IOException failure;

  CheckedStream(String structure, InputStream source, Opener opener) {
    this.structure = structure;
    this.source = new SourceBuffer(source);
    this.opener = opener;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (failure != null) {
      throw failure;
    }
    try {
      int count = decoder().read(target, offset, length);
      if (count < 0 && source.offset() == 0) {
        throw new EOFException("no data");
      }
      return count;
    } catch (IOException e) {
      failure = sorted(e);
    } catch (RuntimeException e) {
      // Damaged input can make a decoder exceed its own array bounds. An unchecked exception of the
      // source is a bug and passes unchanged. An UncheckedIOException passes unchanged, too: its
      // cause is not the data, but for example a zstd library that cannot be loaded.
      if (source.failure() instanceof RuntimeException || e instanceof UncheckedIOException) {
        throw e;
      }
      failure = sorted(e);
    }
    throw failure;
  }

  private InputStream decoder() throws IOException {
    if (decoder == null) {
      decoder = opener.open(source);
    }
    return decoder;
  }

  private IOException sorted(Exception e) {
    if (source.failure() instanceof IOException ofSource) {
      return ofSource;
    }
    return switch (e) {
      case MemoryLimitException memory ->
          unsupported(
              ("it needs %s KiB to unpack, at most %s KiB are given; compress with at"
                      + " most xz -9, or without a level")
                  .formatted(memory.getMemoryNeeded(), memory.getMemoryLimit()),
              e);
      case UnsupportedOptionsException options -> unsupported(options.getMessage(), e);
      case ZstdException zstd when ZstdStream.windowTooLarge(zstd) ->
          unsupported("its window is larger than 128 MiB; compress with at most --long=27", e);
      default -> MalformedImageException.of(structure, source.offset(), e);
    };
  }

  private IOException unsupported(@Nullable String reason, Exception cause) {
    return new UnsupportedFeatureException(structure + ": " + reason, cause);
  }

  @Override
  public void close() throws IOException {
    try (source) {
      if (decoder != null) {
        decoder.close();
      }
    }
  }
}

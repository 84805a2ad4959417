package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.Compression;
import java.io.InputStream;
import java.util.function.Supplier;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.tukaani.xz.XZInputStream;

/// Opens a compressed stream for reading.
///
/// For every compression:
/// - Consecutive members, streams or frames are read as one stream. The tools of each format do the
///   same.
/// - A read reports the end only if the last member, stream or frame is complete and every checksum
///   was right.
/// - A truncated or damaged stream ends with a
///   [dev.pvcpopulators.diskimage.MalformedImageException], which each later read throws again. An
///   empty source counts as truncated. The exception names the structure and an offset in the
///   compressed bytes: the start of the structure, or the number of bytes consumed so far.
/// - Exceptions of the source pass through unchanged, so that the caller can distinguish a lost
///   connection from a damaged file.
/// - If the source has no more bytes available yet, a read returns the bytes decoded so far and
///   does not wait until the target is full. But a read waits for the rest of a zstd, bzip2 or LZ4
///   block, or of an LZMA2 chunk. The decoders of xz, bzip2 and LZ4 may hold back up to 16 KiB of
///   decoded bytes.
/// - Bytes after the last member, stream or frame are refused, except the stream padding of xz
///   (zeros, a multiple of 4 bytes) and zeros after the last gzip member. A gzip file on a tape or
///   block device can be followed by zeros. `gzip -t` also accepts these zeros; for other bytes, it
///   prints a warning and fails.
///
/// The memory that a stream uses does not depend on the source's length. The default limits are 64
/// MiB for xz dictionaries (`xz -9`) and 128 MiB for zstd windows (`--long=27`, outside the heap);
/// [DecoderMemory#SMALL] sets lower limits. A stream that needs more memory causes an
/// [dev.pvcpopulators.diskimage.UnsupportedFeatureException].
///
/// The streams are for one thread at a time and work best with large reads (64 KiB and more).
/// Closing a stream closes its source.
public final class Decompressor {
  private Decompressor() {}

  /// Opens a stream; does not read yet.
  ///
  /// @param source the compressed bytes; owned by the result
  public static InputStream open(Compression compression, InputStream source) {
    return open(compression, source, DecoderMemory.LARGE);
  }

  /// Opens a stream with a memory limit; does not read yet.
  ///
  /// @param memory limit for the memory that the stream may require of its decoder
  public static InputStream open(
      Compression compression, InputStream source, DecoderMemory memory) {
    return switch (compression) {
      case GZIP -> gzip(source, RawInflater::open);
      case ZSTD ->
          new CheckedStream(
              "zstd frame", source, buffer -> new ZstdStream(buffer, memory.zstdWindow()));
      case XZ ->
          new CheckedStream(
              "xz stream",
              source,
              buffer -> new PromptStream(new XZInputStream(buffer, memory.xzKibibytes())));
      case BZIP2 ->
          new CheckedStream(
              "bzip2 stream",
              source,
              buffer -> new PromptStream(new BZip2CompressorInputStream(buffer, true)));
      case LZ4 ->
          new CheckedStream("LZ4 frame", source, buffer -> new PromptStream(new Lz4Stream(buffer)));
    };
  }

  static InputStream gzip(InputStream source, Supplier<RawInflater> inflater) {
    return new CheckedStream(
        "gzip member", source, buffer -> new GzipStream(buffer, inflater.get()));
  }
}

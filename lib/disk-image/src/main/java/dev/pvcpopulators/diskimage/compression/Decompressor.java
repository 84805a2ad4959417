package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.Compression;
import java.io.InputStream;
import java.util.function.Supplier;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.tukaani.xz.XZInputStream;

/// Opens a compressed stream for reading.
///
/// For every compression:
/// - members, streams or frames that follow one another are read as one, as their tools do;
/// - the end is reached only when the last of them is complete and every checksum was right. A cut
///   or damaged stream ends with a [MalformedImageException] that names the structure and the
///   offset in the compressed bytes, and goes on doing so when read again; an empty source is a cut
///   one;
/// - what the source itself throws comes through unchanged, so that a lost connection is never
///   taken for a damaged file;
/// - a read gives what has been decoded when the source has no more at hand, instead of waiting
///   until the target is full, as far as the format allows: not in the middle of a zstd, bzip2 or
///   LZ4 block or an LZMA2 chunk;
/// - bytes behind the end are refused, except zeros behind gzip, which tape and block devices leave
///   there (`gzip -t` accepts those too, and fails with a warning on anything else).
///
/// Memory does not depend on the source's length. xz dictionaries go up to the 64 MiB of `xz -9`,
/// zstd windows up to 128 MiB (`--long=27`, outside of the heap), or less where [DecoderMemory]
/// says so; what needs more is an [UnsupportedFeatureException].
///
/// The streams are for one thread at a time, and large reads suit them (64 KiB and more). Closing
/// one closes its source.
public final class Decompressor {
  private Decompressor() {}

  /// Opens a stream without reading yet.
  ///
  /// @param source the compressed bytes; owned by the result
  public static InputStream open(Compression compression, InputStream source) {
    return open(compression, source, DecoderMemory.LARGE);
  }

  /// As above.
  ///
  /// @param memory what the stream may make its decoder keep
  public static InputStream open(
      Compression compression, InputStream source, DecoderMemory memory) {
    return switch (compression) {
      case GZIP -> gzip(source, RawInflater::open);
      case ZSTD ->
          CheckedStream.open(
              "zstd frame", source, buffer -> new ZstdStream(buffer, memory.zstdWindow()));
      case XZ ->
          CheckedStream.open(
              "xz stream",
              source,
              buffer -> new PromptStream(new XZInputStream(buffer, memory.xzKibibytes())));
      case BZIP2 ->
          CheckedStream.open(
              "bzip2 stream",
              source,
              buffer -> new PromptStream(new BZip2CompressorInputStream(buffer, true)));
      case LZ4 ->
          CheckedStream.open(
              "LZ4 frame", source, buffer -> new PromptStream(new Lz4Stream(buffer)));
    };
  }

  static InputStream gzip(InputStream source, Supplier<RawInflater> inflater) {
    return CheckedStream.open(
        "gzip member", source, buffer -> new GzipStream(buffer, inflater.get()));
  }
}

package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.Closing;
import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.SniffedStream;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.DiskInTar;
import dev.pvcpopulators.diskimage.archive.DiskInZip;
import dev.pvcpopulators.diskimage.compression.Decompressor;
import dev.pvcpopulators.diskimage.compression.ReadAheadStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;

/// A source whose outer formats are removed. Outer formats are compressions and archives; their
/// nesting depth is at most [#MAX_DEPTH].
///
/// Each decompressor, and the reader of a ZIP archive, runs on a separate thread. The image may end
/// before the source ends: [#drain] reads the remaining bytes, so that every checksum and length is
/// verified.
final class SourceStack implements Closeable {
  /// Maximum nesting depth: the depth of the deepest useful nesting (a compressed disk in a
  /// compressed tar) plus one.
  static final int MAX_DEPTH = 4;

  /// Compressions whose decoders may need much memory: zstd needs the most, up to 128 MiB. A stack
  /// has at most one such decoder, because two such decoders could exceed the memory limit of this
  /// process.
  private static final Set<Compression> LARGE =
      EnumSet.of(Compression.XZ, Compression.ZSTD, Compression.LZ4);

  private final Deque<InputStream> layers = new ArrayDeque<>();
  private final List<String> wrapping = new ArrayList<>();
  private OptionalLong length;
  private boolean large;
  private ImageFormat format = ImageFormat.RAW;

  private SourceStack(InputStream source, OptionalLong length) {
    this.length = length;
    layers.push(source);
  }

  /// Removes outer formats until an image is found. If the user names the format raw, the source is
  /// the image, and no format is removed.
  ///
  /// @param source closed by [#close], or by this method when it throws
  /// @param length bytes of the source, if known
  /// @param choice the user's choices for the format
  /// @throws UnsupportedFeatureException if the format of the image is not supported or not the
  ///   named format, if an archive does not contain a disk, if the nesting is not supported, or if
  ///   the user names the format raw, and the source begins with the magic number of an image
  ///   format, which `choice` does not allow
  static SourceStack open(InputStream source, OptionalLong length, FormatChoice choice)
      throws IOException {
    return new SourceStack(source, length).opened(stack -> stack.unwrap(choice));
  }

  /// Removes outer formats until a tar archive is found.
  ///
  /// @param source closed by [#close], or by this method when it throws
  /// @throws UnsupportedFeatureException if the source is not a tar archive, plain or compressed
  static SourceStack openArchive(InputStream source) throws IOException {
    return new SourceStack(source, OptionalLong.empty()).opened(SourceStack::unwrapArchive);
  }

  private void unwrapArchive() throws IOException {
    while (true) {
      SniffedStream head = SniffedStream.open(top());
      replaceTop(head);
      switch (head.sniffed()) {
        case Sniffed.Compressed(Compression compression) -> decompress(compression);
        case Sniffed.Tar() -> {
          return;
        }
        case Sniffed.Unsupported unsupported -> throw refused(unsupported);
        case Sniffed.Zip() ->
            throw new UnsupportedFeatureException("Expected a tar archive, found a ZIP archive");
        case Sniffed.Image(ImageFormat found) ->
            throw new UnsupportedFeatureException(
                "Expected a tar archive, found " + (head.empty() ? "no bytes" : found.word()));
      }
    }
  }

  private void unwrap(FormatChoice choice) throws IOException {
    while (true) {
      SniffedStream head = SniffedStream.open(top());
      replaceTop(head);
      if (head.empty()) {
        throw new MalformedImageException(
            wrapping.isEmpty() ? "source" : wrapping.getLast(),
            0,
            "expected a disk image, found no bytes");
      }
      if (choice.raw()) {
        if (!choice.allowMagic()) {
          GuestHead.requireNoImage(head.sniffed());
        }
        return;
      }
      switch (head.sniffed()) {
        case Sniffed.Compressed(Compression compression) -> decompress(compression);
        case Sniffed.Tar() -> enterTar();
        case Sniffed.Zip() -> enterZip();
        case Sniffed.Unsupported unsupported -> throw refused(unsupported);
        case Sniffed.Image(ImageFormat found) -> {
          format = checked(choice, found);
          return;
        }
      }
    }
  }

  private static UnsupportedFeatureException refused(Sniffed.Unsupported found) {
    String article =
        "AEIOUHX".indexOf(Character.toUpperCase(found.name().charAt(0))) < 0 ? "a " : "an ";
    return new UnsupportedFeatureException(
        "The source is " + article + found.name() + "; " + found.advice());
  }

  private static ImageFormat checked(FormatChoice choice, ImageFormat found)
      throws UnsupportedFeatureException {
    if (choice.format().isEmpty() || choice.named(found)) {
      return found;
    }
    if (choice.named(ImageFormat.VHD) && found == ImageFormat.RAW) {
      // A fixed VHD begins with the disk; its footer is checked after the whole image has arrived.
      return ImageFormat.VHD;
    }
    throw new UnsupportedFeatureException(
        "Expected an image of format %s, found %s"
            .formatted(choice.format().orElseThrow().word(), found.word()));
  }

  private void decompress(Compression compression) throws IOException {
    if (LARGE.contains(compression)) {
      if (large) {
        throw new UnsupportedFeatureException(
            "The source is wrapped in %s and once more in %s; of xz, zstd and LZ4 there may be one"
                .formatted(wrapping, compression));
      }
      large = true;
    }
    enter(compression.name().toLowerCase(Locale.ROOT));
    InputStream plain = Decompressor.open(compression, top());
    layers.push(ReadAheadStream.start(plain, "import-" + wrapping.getLast()));
    length = OptionalLong.empty();
  }

  private void enterTar() throws IOException {
    enter("tar");
    DiskInTar disk = DiskInTar.open(top());
    layers.push(disk);
    length = OptionalLong.of(disk.length());
  }

  private void enterZip() throws IOException {
    enter("zip");
    DiskInZip disk = DiskInZip.open(top());
    layers.push(ReadAheadStream.start(disk, "import-zip"));
    length = disk.length();
  }

  private void enter(String layer) throws UnsupportedFeatureException {
    if (wrapping.size() == MAX_DEPTH) {
      throw new UnsupportedFeatureException(
          "The source is wrapped more than " + MAX_DEPTH + " times: " + wrapping + " and " + layer);
    }
    wrapping.add(layer);
  }

  /// Returns the innermost layer: the image after [#open], the tar archive after [#openArchive].
  InputStream top() {
    return layers.element();
  }

  /// Returns the length of the image in bytes, if known.
  OptionalLong length() {
    return length;
  }

  ImageFormat format() {
    return format;
  }

  /// Returns the removed outer formats, from the outermost to the innermost.
  List<String> wrapping() {
    return List.copyOf(wrapping);
  }

  /// Reads the innermost layer to its end. This layer ends only after each outer layer has ended
  /// with the right checksums. This method does not read the outer layers themselves, because they
  /// may already be closed.
  void drain() throws IOException {
    // Only the end and the checksums matter.
    top().transferTo(OutputStream.nullOutputStream());
  }

  @Override
  public void close() throws IOException {
    // Each layer also closes the layer outside it; closing a closed layer has no effect.
    Closing.all(layers);
  }

  @FunctionalInterface
  private interface Unwrapping {
    void of(SourceStack stack) throws IOException;
  }

  /// Removes the outer formats; closes the source if the removal fails.
  private SourceStack opened(Unwrapping unwrapping) throws IOException {
    try {
      unwrapping.of(this);
      return this;
    } catch (IOException | RuntimeException e) {
      try (this) {
        throw e;
      }
    }
  }

  private void replaceTop(InputStream stream) {
    layers.pop();
    layers.push(stream);
  }
}

package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Where the files of a tar are in it, by name. As when it is unpacked, the last entry of a name
/// counts.
///
/// Names are only compared with each other, never opened; links lead from name to name within the
/// archive.
final class TarIndex {
  private final Map<String, Place> places;

  private TarIndex(Map<String, Place> places) {
    this.places = places;
  }

  /// The data of an entry.
  ///
  /// @param offset of its first byte in the archive
  record Span(long offset, long length) implements Place {}

  /// @param target a normal name
  record Link(String target) implements Place {}

  sealed interface Place permits Span, Link {}

  /// Walks through the headers to the end of the archive.
  ///
  /// @throws MalformedImageException where a header is damaged or missing, or the archive is cut
  /// @throws UnsupportedFeatureException where it has more than [TarFormat] allows, or sparse files
  static TarIndex read(FileChannel channel) throws IOException {
    Walk walk = new Walk(channel, channel.size());
    while (walk.next()) {
      // Each header goes into the walk's places.
    }
    return new TarIndex(walk.places);
  }

  /// The data of a file, where the archive has one of that name or a link that leads to one.
  Optional<Span> find(String name) {
    Place place = places.get(normal("", name).orElse(""));
    for (int links = 0; place instanceof Link(String target); links++) {
      if (links == TarFormat.LINKS) {
        return Optional.empty();
      }
      place = places.get(target);
    }
    return place instanceof Span span ? Optional.of(span) : Optional.empty();
  }

  /// A name without `.`, `..` and empty components; empty where it leads out of the archive.
  ///
  /// @param base the normal name of a directory
  private static Optional<String> normal(String base, String name) {
    List<String> components = new ArrayList<>();
    for (String component : (base + "/" + name).split("/", -1)) {
      if (component.equals("..")) {
        if (components.isEmpty()) {
          return Optional.empty();
        }
        components.removeLast();
      } else if (!component.isEmpty() && !component.equals(".")) {
        components.add(component);
      }
    }
    return Optional.of(String.join("/", components));
  }

  /// The way through an archive: where it is, and what the last headers said of the next entry.
  private static final class Walk {
    private final FileChannel channel;
    private final long end;
    private final Map<String, Place> places = new HashMap<>();
    private long offset;
    private int headers;
    private long namesLength;
    private Optional<String> longName = Optional.empty();
    private Optional<String> longLinkName = Optional.empty();
    private PaxRecords records = PaxRecords.NONE;

    Walk(FileChannel channel, long end) {
      this.channel = channel;
      this.end = end;
    }

    /// Takes one header and passes over its data; false at the end of the archive.
    boolean next() throws IOException {
      byte[] block = read(offset, TarFormat.BLOCK_LENGTH, "header");
      if (zero(block)) {
        return false;
      }
      if (++headers > TarFormat.ENTRIES) {
        throw new UnsupportedFeatureException(
            "tar: the archive has more than " + TarFormat.ENTRIES + " entries");
      }
      TarHeader header = TarHeader.read(block, offset);
      long data = offset + TarFormat.BLOCK_LENGTH;
      long size = header.type().data() ? records.size(header.size(), offset) : 0;
      if (size > end - data) {
        throw new MalformedImageException(
            "tar entry", offset, "expected " + size + " bytes of data, found " + (end - data));
      }
      take(header, data, size);
      // Cannot overflow: the data lies within the file.
      offset = data + Math.ceilDiv(size, TarFormat.BLOCK_LENGTH) * TarFormat.BLOCK_LENGTH;
      return true;
    }

    private void take(TarHeader header, long data, long size) throws IOException {
      switch (header.type()) {
        case LONG_NAME -> longName = Optional.of(longText(data, size));
        case LONG_LINK_NAME -> longLinkName = Optional.of(longText(data, size));
        case EXTENDED -> records = PaxRecords.read(extension(data, size), data);
        case GLOBAL -> refuseGlobals(PaxRecords.read(extension(data, size), data));
        case SPARSE ->
            throw new UnsupportedFeatureException(
                "tar entry at byte "
                    + offset
                    + ": the archive has a sparse file; write it without --sparse");
        case FILE -> put(header, Optional.of(new Span(data, size)));
        // It names data that came before, whatever takes that name later.
        case HARD_LINK -> put(header, normal("", linkName(header)).map(places::get));
        case SYMBOLIC_LINK -> putSymbolicLink(header);
        case EMPTY, OTHER -> put(header, Optional.empty());
      }
    }

    private void putSymbolicLink(TarHeader header) throws IOException {
      String target = linkName(header);
      Optional<String> name = normal("", name(header));
      String directory = name.map(it -> it.substring(0, it.lastIndexOf('/') + 1)).orElse("");
      put(
          header,
          target.startsWith("/") ? Optional.empty() : normal(directory, target).map(Link::new));
    }

    /// @param place empty for what has no data; it takes the place of an earlier file all the same
    private void put(TarHeader header, Optional<? extends Place> place) throws IOException {
      Optional<String> name = normal("", name(header));
      longName = Optional.empty();
      longLinkName = Optional.empty();
      records = PaxRecords.NONE;
      if (name.orElse("").isEmpty()) {
        return;
      }
      if (place.isEmpty()) {
        places.remove(name.get());
        return;
      }
      namesLength += name.get().length();
      if (place.get() instanceof Link(String target)) {
        namesLength += target.length();
      }
      if (namesLength > TarFormat.NAMES_LENGTH) {
        throw new UnsupportedFeatureException(
            "tar: the names in the archive are together longer than "
                + TarFormat.NAMES_LENGTH
                + " characters");
      }
      places.put(name.get(), place.get());
    }

    private String name(TarHeader header) {
      return records.path().or(() -> longName).orElse(header.name());
    }

    private String linkName(TarHeader header) {
      return records.linkPath().or(() -> longLinkName).orElse(header.linkName());
    }

    private static void refuseGlobals(PaxRecords records) throws UnsupportedFeatureException {
      if (!records.empty()) {
        throw new UnsupportedFeatureException(
            "tar global header: names and sizes for all entries at once are not supported");
      }
    }

    private String longText(long data, long size) throws IOException {
      String text = new String(extension(data, size), UTF_8);
      int end = text.indexOf('\0');
      return end < 0 ? text : text.substring(0, end);
    }

    private byte[] extension(long data, long size) throws IOException {
      if (size > TarFormat.EXTENSION_LENGTH) {
        throw new MalformedImageException(
            "tar extended header",
            offset,
            "expected at most " + TarFormat.EXTENSION_LENGTH + " bytes, found " + size);
      }
      return read(data, Math.toIntExact(size), "extended header");
    }

    private byte[] read(long from, int length, String structure) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(length);
      while (bytes.hasRemaining()) {
        if (channel.read(bytes, from + bytes.position()) < 0) {
          throw new MalformedImageException(
              "tar " + structure, from, "expected more data, found the end of the file");
        }
      }
      return bytes.array();
    }

    private static boolean zero(byte[] block) {
      for (byte b : block) {
        if (b != 0) {
          return false;
        }
      }
      return true;
    }
  }
}

package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.TarMember;
import dev.pvcpopulators.diskimage.archive.TarReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The positions of a tar's files, by name. If several entries have the same name, the index keeps
/// only the last entry, because a program that unpacks the tar also keeps only the last entry.
///
/// Names are only compared with each other; they are not used as paths in the file system. Links
/// are resolved within the archive.
record TarIndex(Map<String, Place> places) {
  /// Maximum number of entries of an archive.
  static final int ENTRIES = 100_000;

  /// Maximum total number of characters of the names and link targets that are added to this index.
  /// This total includes names and targets that later entries replace.
  static final int NAMES_LENGTH = 8 << 20;

  /// Maximum number of symbolic links that [#find] follows.
  static final int LINKS = 8;

  /// The data of an entry.
  ///
  /// @param offset the offset of the data's first byte in the archive
  record Span(long offset, long length) implements Place {}

  /// A symbolic link.
  ///
  /// @param target the name of the link's target in the archive, in normal form
  record Link(String target) implements Place {}

  sealed interface Place permits Span, Link {}

  /// Reads all headers up to the end of the archive.
  ///
  /// @param channel the channel of the archive, positioned at the archive's beginning; the position
  ///   changes
  /// @throws MalformedImageException if a header is damaged, or if the archive does not end with a
  ///   block of zeros
  /// @throws UnsupportedFeatureException if the archive exceeds [#ENTRIES] or [#NAMES_LENGTH], or
  ///   has sparse files
  @SuppressWarnings("resource") // The caller closes the channel.
  static TarIndex read(FileChannel channel) throws IOException {
    Map<String, Place> places = new HashMap<>();
    TarReader reader = TarReader.of(channel);
    long namesLength = 0;
    int entries = 0;
    Optional<TarMember> member = reader.next();
    while (member.isPresent()) {
      if (++entries > ENTRIES) {
        throw new UnsupportedFeatureException(
            "tar: the archive has more than " + ENTRIES + " entries");
      }
      namesLength += put(places, member.get(), reader.dataOffset());
      if (namesLength > NAMES_LENGTH) {
        throw new UnsupportedFeatureException(
            "tar: the names in the archive are together longer than "
                + NAMES_LENGTH
                + " characters");
      }
      member = reader.next();
    }
    if (!reader.endMarked()) {
      throw new MalformedImageException(
          "tar archive", channel.size(), "expected more data, found the end of the file");
    }
    return new TarIndex(places);
  }

  /// Adds an entry. The new entry replaces an earlier entry of the same name, even if the new entry
  /// has no data.
  ///
  /// @return number of characters that count towards [#NAMES_LENGTH]
  private static int put(Map<String, Place> places, TarMember member, OptionalLong data)
      throws IOException {
    String name = normal("", member.name().toString()).orElse("");
    if (name.isEmpty()) {
      return 0;
    }
    Optional<? extends Place> place =
        switch (member.type()) {
          case FILE -> Optional.of(new Span(stored(member, data), member.length()));
          // A hard link refers to earlier data, even if a later entry has the same name as the
          // link's target.
          case HARD_LINK -> normal("", member.linkName().toString()).map(places::get);
          case SYMBOLIC_LINK -> link(name, member.linkName().toString());
          case DIRECTORY, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO, OTHER -> Optional.empty();
        };
    if (place.isEmpty()) {
      places.remove(name);
      return 0;
    }
    places.put(name, place.get());
    return name.length() + (place.get() instanceof Link(String target) ? target.length() : 0);
  }

  private static long stored(TarMember member, OptionalLong data)
      throws UnsupportedFeatureException {
    return data.orElseThrow(() ->
        new UnsupportedFeatureException(
            "tar entry "
                + member.quoted()
                + ": the archive has a sparse file; write it without --sparse"));
  }

  private static Optional<Link> link(String name, String target) {
    return target.startsWith("/")
        ? Optional.empty()
        : normal(name.substring(0, name.lastIndexOf('/') + 1), target).map(Link::new);
  }

  /// Returns the data of the file with this name; follows symbolic links. Returns empty if there is
  /// no such file, or if the number of links exceeds [#LINKS].
  Optional<Span> find(String name) {
    Place place = places.get(normal("", name).orElse(""));
    for (int links = 0; place instanceof Link(String target); links++) {
      if (links == LINKS) {
        return Optional.empty();
      }
      place = places.get(target);
    }
    return place instanceof Span span ? Optional.of(span) : Optional.empty();
  }

  /// Returns a name in normal form: without empty components, and with `.` and `..` resolved.
  /// Returns empty if the name leads out of the archive.
  ///
  /// @param base the name of the directory from which `name` is resolved, in normal form
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
}

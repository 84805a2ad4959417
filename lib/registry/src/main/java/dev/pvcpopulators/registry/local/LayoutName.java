package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.ImageIndex;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The part of a reference that selects one image of a layout or archive.
sealed interface LayoutName {
  /// Maximum number of names in a message.
  int SHOWN = 20;

  /// The annotation that names entries of `index.json` (OCI image-spec 1.1, annotations.md).
  String NAME = "org.opencontainers.image.ref.name";

  /// The annotation in which containerd and BuildKit write the full reference of an image. In an
  /// entry with this annotation, [#NAME] is only the tag.
  String FULL_NAME = "io.containerd.image.name";

  Pattern POSITION = Pattern.compile("@[0-9]{1,6}");

  /// Selects the only image of a layout or archive; used if the reference has no name.
  record Only() implements LayoutName {
    @Override
    public String toString() {
      return "an image";
    }
  }

  /// Selects an image by its name: in a layout by the annotations [#NAME] and [#FULL_NAME], in a
  /// Docker archive by its tags.
  record Named(String name) implements LayoutName {
    @Override
    public String toString() {
      return Quoted.of(name);
    }
  }

  /// Selects an image by the digest of its manifest or index.
  record ByDigest(Digest digest) implements LayoutName {
    @Override
    public String toString() {
      return "@" + digest;
    }
  }

  /// Selects an entry of `index.json`, or of the `manifest.json` of a Docker archive, by its
  /// position, counted from 0.
  record ByPosition(int index) implements LayoutName {
    @Override
    public String toString() {
      return "@" + index;
    }
  }

  /// Parses the part of a reference after the path: a name, a digest such as `@sha256:…`, or a
  /// position such as `@0`. A reference without this part selects the only image.
  ///
  /// @throws IllegalArgumentException if the text begins with `@` and is neither a digest nor a
  ///   position
  static LayoutName parse(Optional<String> reference) {
    if (reference.isEmpty()) {
      return new Only();
    }
    String text = reference.get();
    if (POSITION.matcher(text).matches()) {
      return new ByPosition(Integer.parseInt(text.substring(1)));
    }
    return text.startsWith("@") ? new ByDigest(Digest.parse(text.substring(1))) : new Named(text);
  }

  /// Returns the selected entry of `index.json`; empty if no entry has the required digest.
  ///
  /// @param where location of the index, for messages
  /// @throws SourceNotFoundException if entries with different digests match, or if no entry
  ///   matches and the selection is not by digest
  default Optional<Descriptor> choose(ImageIndex index, String where)
      throws SourceNotFoundException {
    List<ImageIndex.Entry> entries = index.entries();
    Stream<ImageIndex.Entry> meant =
        switch (this) {
          case Only _ -> entries.stream().filter(ImageIndex.Entry::image);
          case Named(String name) ->
              entries.stream()
                  .filter(it -> annotated(it, NAME, name) || annotated(it, FULL_NAME, name));
          case ByDigest(Digest digest) ->
              entries.stream().filter(it -> it.descriptor().digest().equals(digest));
          case ByPosition(int position) -> entries.stream().skip(position).limit(1);
        };
    // An image with several names has several entries.
    Map<Digest, Descriptor> images =
        meant
            .map(ImageIndex.Entry::descriptor)
            .collect(Collectors.toMap(Descriptor::digest, it -> it, (first, _) -> first));
    if (images.size() > 1) {
      throw new SourceNotFoundException(
          "Cannot choose " + this + " in " + where + ": it has several, " + names(entries));
    }
    if (images.isEmpty() && !(this instanceof ByDigest)) {
      throw new SourceNotFoundException(
          "Cannot find " + this + " in " + where + ": it has " + names(entries));
    }
    return images.values().stream().findFirst();
  }

  private static boolean annotated(ImageIndex.Entry entry, String annotation, String name) {
    return name.equals(entry.descriptor().annotations().get(annotation));
  }

  private static String names(List<ImageIndex.Entry> entries) {
    if (entries.isEmpty()) {
      return "no image";
    }
    String names =
        entries.stream()
            .limit(SHOWN)
            .map(it -> {
              String name = it.descriptor().annotations().get(NAME);
              return name == null ? "@" + it.descriptor().digest() : Quoted.of(name);
            })
            .collect(Collectors.joining(", "));
    return names + (entries.size() > SHOWN ? ", …" : "");
  }
}

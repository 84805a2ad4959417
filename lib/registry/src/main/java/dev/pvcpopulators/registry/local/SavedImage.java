package dev.pvcpopulators.registry.local;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.registry.JsonValue;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.SourceReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// One image in the `manifest.json` of an archive (Docker image specification 1.2, "Combined Image
/// JSON + Filesystem Changeset Format").
///
/// @param config name of the tar entry with the configuration
/// @param repoTags the image's names; may be empty
/// @param layers names of the tar entries with the layers; the lowest layer is first
record SavedImage(String config, List<String> repoTags, List<String> layers) {
  SavedImage {
    repoTags = List.copyOf(repoTags);
    layers = List.copyOf(layers);
  }

  /// Reads `manifest.json`.
  static List<SavedImage> readAll(JsonValue document) throws MalformedImageException {
    List<SavedImage> images = new ArrayList<>();
    for (JsonValue item : document.items(RegistryLimits.INDEX_ENTRIES)) {
      List<String> layers = item.field("Layers").strings(RegistryLimits.LAYERS);
      images.add(
          new SavedImage(
              item.field("Config").text(RegistryLimits.ANNOTATION_LENGTH),
              item.field("RepoTags").strings(RegistryLimits.STRINGS),
              layers));
    }
    return images;
  }

  /// Returns the image that a reference selects.
  ///
  /// @param where the archive, for messages
  /// @throws IllegalArgumentException if the reference is a digest, because `manifest.json`
  ///   contains no digests of manifests
  /// @throws SourceNotFoundException if the reference matches no image or several images
  static SavedImage choose(List<SavedImage> images, LayoutName name, String where)
      throws SourceNotFoundException {
    List<SavedImage> meant =
        switch (name) {
          case LayoutName.Only _ -> images;
          case LayoutName.Named(String tag) ->
              images.stream().filter(it -> it.tagged(tag)).toList();
          case LayoutName.ByPosition(int position) ->
              images.stream().skip(position).limit(1).toList();
          case LayoutName.ByDigest _ ->
              throw new IllegalArgumentException(
                  "Expected docker-archive:FILE[:REPOSITORY:TAG|:@POSITION], found a digest");
        };
    if (meant.size() == 1) {
      return meant.getFirst();
    }
    throw new SourceNotFoundException(
        (meant.isEmpty() ? "Cannot find " : "Cannot choose ")
            + name
            + " in "
            + where
            + ": it has "
            + names(images));
  }

  private boolean tagged(String name) {
    Optional<SourceReference> wanted = completed(name);
    return repoTags.contains(name)
        || (wanted.isPresent()
            && repoTags.stream().map(SavedImage::completed).anyMatch(wanted::equals));
  }

  /// Returns the tag as a full reference, because archives use both `busybox:1` and
  /// `docker.io/library/busybox:1` for the same image. Returns empty if the tag is not a valid
  /// reference.
  private static Optional<SourceReference> completed(String tag) {
    try {
      return Optional.of(SourceReference.parse(SourceReference.REMOTE + tag));
    } catch (IllegalArgumentException _) {
      // The caller then compares the tag only literally.
      return Optional.empty();
    }
  }

  private static String names(List<SavedImage> images) {
    if (images.isEmpty()) {
      return "no image";
    }
    String names =
        IntStream.range(0, Math.min(images.size(), LayoutName.SHOWN))
            .mapToObj(i ->
                "@"
                    + i
                    + images.get(i).repoTags().stream()
                        .limit(LayoutName.SHOWN)
                        .map(tag -> " " + Quoted.of(tag))
                        .collect(Collectors.joining()))
            .collect(Collectors.joining(", "));
    return names + (images.size() > LayoutName.SHOWN ? ", …" : "");
  }
}

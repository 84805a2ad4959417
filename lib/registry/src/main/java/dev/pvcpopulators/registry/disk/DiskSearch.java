package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.archive.TarEntry;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.registry.BlobOpener;
import dev.pvcpopulators.registry.DamageDetectingBlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/// Finds the disk in an image.
///
/// ## Images
///
/// The goal is the path that the search looks for. The layers are pulled one by one, from the top
/// down, until a layer contains the disk or a link to follow, or hides the goal in all layers
/// below. If no link is followed, the layers below that layer are not pulled. Each layer is read as
/// a stream. The search stores only the names that match the goal or hide it, and a few names for
/// messages (see `LayerScan`). Entries have these effects:
///
/// - A **file** that matches, and that no layer above hides, is the disk. The file's bytes are
///   returned at once, and the rest of the layer is read after them. The search knows only at the
///   layer's end whether the layer is valid and has no second match.
/// - A layer without a match is read to its end, so that it is verified before its entries affect
///   the search in lower layers. If a layer **deletes** a name (`.wh.NAME`) or **replaces** it (by
///   a directory or another entry), the name is hidden in the layers below. If a layer **empties**
///   a directory (`.wh..wh..opq`), the directory's content is hidden in the layers below. Whiteouts
///   do not affect their own layer.
/// - A **symbolic link** that matches, or that is at the path of the goal's directory or of an
///   ancestor of that directory, gives a new goal: in the path of the goal, the path of the link's
///   target replaces the link's path. An absolute target begins at the root of the image, a
///   relative target at the link's directory. The search for the new goal starts from the top
///   again, because any layer may contain the new goal.
/// - A **hard link** that matches, or that is at the path of the goal's directory or of an ancestor
///   of that directory, gives a new goal, too. The search for the new goal starts in the link's
///   layer. Layers above are not searched, because their changes to the file with the target's name
///   do not affect the hard link.
/// - Only the topmost layer with a match matters. If that layer has several matches, the search
///   fails. Lower layers are not searched for further matches.
///
/// At most `SearchLimits.LINKS` links are followed. If a search for the same goal would start again
/// from the same layer, the links form a cycle, and the search fails.
///
/// ## Artifacts
///
/// In an artifact, layers can be files instead of parts of a file system. For the default path, the
/// disk is the artifact's only file. For any other path, the disk is the only file whose name
/// matches the path's last component (see `ArtifactLayers`).
///
/// ## Resource limits
///
/// The required memory does not depend on the sizes of the layers. `ExpansionLimit` limits the
/// decompressed bytes that do not belong to the disk.
public final class DiskSearch {
  private final String reference;
  private final LayerSource source;
  private final ExpansionLimit allowance = new ExpansionLimit();
  private final Names seen = new Names();
  private final Set<Descriptor> searched = new LinkedHashSet<>();

  private DiskSearch(String reference, LayerSource source) {
    this.reference = reference;
    this.source = source;
  }

  /// Searches for the disk, and returns as soon as the disk is found; most of the disk's bytes
  /// arrive later. An interrupt ends the search. Closing the store ends the search, too.
  ///
  /// @param blobs the store with the image; the caller closes it after the disk has been read
  /// @throws UnsupportedFeatureException if there is no disk or more than one (the message lists
  ///   the found entries); if a required layer is encrypted or not available; or if the search
  ///   exceeds the limit for decompressed bytes
  /// @throws MalformedImageException if a layer is damaged or inconsistent, if links form a cycle,
  ///   or if the search finds more than `SearchLimits.LINKS` links to follow
  /// @throws DigestMismatchException if a layer does not match the manifest
  public static FoundDisk find(
      Image image, BlobOpener blobs, DiskPath path, SearchListener listener) throws IOException {
    LayerSource source =
        new LayerSource(image.manifest().layers(), new DamageDetectingBlobStore(blobs), listener);
    OptionalInt artifact = ArtifactLayers.choose(image, path);
    if (artifact.isPresent()) {
      return ArtifactDisk.open(source, artifact.getAsInt());
    }
    return new DiskSearch(image.reference(), source).search(path);
  }

  /// The start of a search.
  ///
  /// @param top index of the topmost layer that is searched
  private record Beginning(SearchTarget goal, int top) {}

  private FoundDisk search(DiskPath path) throws IOException {
    Set<Beginning> visited = new HashSet<>();
    Beginning beginning = new Beginning(SearchTarget.of(path), source.top());
    while (visited.add(beginning)) {
      if (visited.size() > SearchLimits.LINKS + 1) {
        throw malformedLinks(path, "expected at most " + SearchLimits.LINKS + ", found more");
      }
      if (visited.size() > 1) {
        source.listener().restarted();
      }
      SearchTarget goal = beginning.goal();
      int index = beginning.top();
      UpperLayers above = UpperLayers.NONE;
      Optional<Beginning> onward = Optional.empty();
      while (index >= 0 && onward.isEmpty()) {
        if (LayerTypes.empty(source.layer(index))) {
          index--;
          continue;
        }
        searched.remove(source.layer(index));
        searched.add(source.layer(index));
        switch (look(index, goal, above, allowance, seen)) {
          case LayerSearchResult.Found(LayerDisk disk) -> {
            return found(disk, index, goal, above);
          }
          case LayerSearchResult.Follow(SearchTarget next, boolean sameLayer) ->
              onward = Optional.of(new Beginning(next, sameLayer ? index : source.top()));
          case LayerSearchResult.Below(UpperLayers more) -> {
            above = more;
            index--;
          }
          case LayerSearchResult.Nothing() -> index = -1;
        }
      }
      beginning = onward.orElseThrow(() -> noDisk(path, goal));
    }
    throw malformedLinks(path, "they form a cycle");
  }

  /// Searches one layer, up to the disk or to the layer's end.
  private LayerSearchResult look(
      int index, SearchTarget goal, UpperLayers above, ExpansionLimit allowed, Names names)
      throws IOException {
    LayerEntries entries = LayerEntries.open(source, index, allowed);
    return source.read(
        index,
        entries,
        () -> {
          LayerScan scan = new LayerScan(goal, above, index + 1, names);
          Optional<TarEntry> entry = entries.next();
          while (entry.isPresent()) {
            if (scan.accept(entry.get())) {
              return new LayerSearchResult.Found(new LayerDisk(entries, scan, entry.get()));
            }
            entry = entries.next();
          }
          entries.finish();
          LayerSearchResult verdict = scan.verdict();
          entries.close();
          return verdict;
        });
  }

  private FoundDisk found(LayerDisk disk, int index, SearchTarget goal, UpperLayers above) {
    return new FoundDisk(
        "/" + String.join("/", disk.entry().name()),
        OptionalLong.of(disk.entry().length()),
        stored(disk, source.layer(index)),
        List.copyOf(searched),
        source.blobs(),
        disk,
        () -> again(disk.entry(), index, goal, above));
  }

  /// Returns the range in which the layer stores the disk's bytes; empty if the layer does not
  /// store them unchanged. The result is also empty if the entry's header claims more bytes than
  /// the layer has; reading such a disk ends with an exception.
  private static Optional<StoredRange> stored(LayerDisk disk, Descriptor layer) {
    OptionalLong offset = disk.storedOffset();
    long length = disk.entry().length();
    return offset.isPresent() && length <= layer.size() - offset.getAsLong()
        ? Optional.of(new StoredRange(layer, offset.getAsLong(), length))
        : Optional.empty();
  }

  private InputStream again(TarEntry disk, int index, SearchTarget goal, UpperLayers above)
      throws IOException {
    source.listener().restarted();
    LayerSearchResult verdict = look(index, goal, above, new ExpansionLimit(), new Names());
    if (verdict instanceof LayerSearchResult.Found(LayerDisk stream)) {
      if (stream.entry().equals(disk)) {
        return stream;
      }
      stream.close();
    }
    throw new DigestMismatchException(
        "Layer %s had the disk %s when it was pulled first, now it has another or none"
            .formatted(source.layer(index).digest(), Names.path(disk.name())));
  }

  private UnsupportedFeatureException noDisk(DiskPath path, SearchTarget goal) {
    String where = SearchTarget.of(path).equals(goal) ? "" : ", which points to " + goal;
    return new UnsupportedFeatureException(
        "No disk in "
            + Quoted.of(reference)
            + " at "
            + Quoted.of(path.pattern())
            + where
            + (seen.isEmpty() ? "; it does not exist" : "; found " + seen));
  }

  private MalformedImageException malformedLinks(DiskPath path, String reason) {
    return new MalformedImageException(
        "links behind " + Quoted.of(path.pattern()), -1, reason + ": " + seen);
  }
}

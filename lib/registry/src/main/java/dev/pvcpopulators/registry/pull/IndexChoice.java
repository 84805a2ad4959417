package dev.pvcpopulators.registry.pull;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.ImageIndex;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Chooses one entry of an index.
///
/// This class ignores attestations, and entries whose media type names content other than an image
/// or an index. If any entry that is not ignored gives a platform, only the entries with a matching
/// platform remain. If any remaining entry has the annotation `disktype`, only the entries with the
/// required disk type remain. If several entries remain and give no platform, the choice fails. If
/// the remaining entries give platforms, the entry whose platform matches best is chosen; of
/// several such entries, the first.
record IndexChoice(ImageChoice choice) {
  private static final String DISK_TYPE = "disktype";
  private static final int SHOWN = 20;

  /// Chooses the entry.
  ///
  /// @throws UnsupportedFeatureException if no entry matches, or if several entries match and
  ///   cannot be distinguished; the message lists the entries
  ImageIndex.Entry choose(ImageIndex index) throws UnsupportedFeatureException {
    List<ImageIndex.Entry> images =
        index.entries().stream().filter(ImageIndex.Entry::image).toList();
    boolean platforms = images.stream().anyMatch(it -> it.platform().isPresent());
    List<ImageIndex.Entry> candidates = platforms ? running(images) : images;
    if (candidates.isEmpty()) {
      throw refused("an image for " + choice.platform(), images, IndexChoice::platform);
    }
    List<ImageIndex.Entry> disks =
        candidates.stream().filter(it -> !diskType(it).isEmpty()).toList();
    if (!disks.isEmpty()) {
      candidates = disks.stream().filter(it -> diskType(it).equals(choice.diskType())).toList();
    }
    if (candidates.isEmpty()) {
      throw refused(
          "a disk of type " + Quoted.of(choice.diskType()) + " for " + choice.platform(),
          disks,
          it -> Quoted.of(diskType(it)));
    }
    if (!platforms && candidates.size() > 1) {
      throw refused(
          "entries with platforms, or only one",
          candidates,
          it -> it.descriptor().digest().toString());
    }
    // If there are several candidates, `running` has sorted the candidates by distance, and has
    // kept the order of candidates with the same distance.
    return candidates.getFirst();
  }

  private List<ImageIndex.Entry> running(List<ImageIndex.Entry> images) {
    PlatformMatch match = new PlatformMatch(choice.platform());
    return images.stream()
        .filter(it -> it.platform().isPresent() && match.distance(it.platform().get()).isPresent())
        .sorted(
            Comparator.comparingInt(
                it -> match.distance(it.platform().orElseThrow()).orElseThrow()))
        .toList();
  }

  private static String diskType(ImageIndex.Entry entry) {
    return entry.descriptor().annotations().getOrDefault(DISK_TYPE, "");
  }

  private static String platform(ImageIndex.Entry entry) {
    return entry.platform().map(it -> Quoted.of(it.toString())).orElse("one without a platform");
  }

  private UnsupportedFeatureException refused(
      String expected,
      List<ImageIndex.Entry> entries,
      Function<ImageIndex.Entry, String> description) {
    List<String> found = entries.stream().map(description).distinct().toList();
    String listed = found.stream().limit(SHOWN).collect(Collectors.joining(", "));
    return new UnsupportedFeatureException(
        "expected "
            + expected
            + ", found "
            + (found.isEmpty() ? "no image" : listed)
            + (found.size() > SHOWN ? ", …" : ""));
  }
}

package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.Registry;
import dev.pvcpopulators.it.image.Skopeo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that conversions share the files of common layers. Each conversion of a layer gives the
/// same bytes.
@Tag("tools")
final class LayersSharingTest {
  private static final long MAX_SMALL_LAYER = 110_000;

  @TempDir private Path work = Path.of("");

  /// Converts an image again, with another time zone, locale, encoding, umask and directory.
  @Test
  @Tag("nightly")
  void theSameLayersGiveTheSameBytes() throws IOException, InterruptedException {
    RealImages.converted("python");
    LayersVolume other = LayersVolume.in(work, "other");
    LayersJob.into(other.path(), work)
        .from(RealImages.reference("python"))
        .named("python")
        .with("TZ", "Pacific/Kiritimati")
        .with("LC_ALL", "tr_TR.UTF-8")
        .with("JAVA_OPTS", "-Duser.language=ar -Duser.country=EG -Dfile.encoding=ISO-8859-1")
        .under("sh", "-c", "umask 077; exec \"$@\"", "sh")
        .run()
        .ok();
    TreeMap<String, String> expected = RealImages.volume().digests();
    TreeMap<String, String> found = other.digests();
    assertEquals(RealImages.layers("python").size(), found.size());
    found.forEach((name, digest) -> assertEquals(expected.get(name), digest, name));
    for (String file : List.of("initrd", "vmlinuz", "disk.qcow2", "run.sh", "domain.xml")) {
      assertEquals(
          -1,
          Files.mismatch(
              RealImages.volume().image("python").resolve(file),
              other.image("python").resolve(file)),
          file);
    }
  }

  @Test
  void aLayerOfOneSmallFileIsSmall() throws IOException, InterruptedException {
    RealImages.converted("minbase");
    Path top = RealImages.volume().chain("minbase").getLast();
    assertTrue(Files.size(top) <= MAX_SMALL_LAYER, () -> top + ": " + top.toFile().length());
  }

  /// The Job for the second image pulls only missing layers, and does not change existing files.
  @Test
  void aSecondImagePullsOnlyNewLayers() throws IOException, InterruptedException {
    LayersVolume volume = LayersVolume.in(work, "volume");
    try (Registry registry = Registry.open(work.resolve("registry"))) {
      Skopeo.copyVerbatim(RealImages.reference("nginx"), registry.image("web/nginx:latest"));
      Skopeo.copyVerbatim(RealImages.reference("python"), registry.image("web/python:latest"));
      LayersJob.into(volume.path(), work)
          .from(registry, "web/nginx:latest")
          .named("nginx")
          .run()
          .ok();
      TreeMap<String, String> before = volume.identities();
      registry.forget();
      CopyOutcome outcome =
          LayersJob.into(volume.path(), work)
              .from(registry, "web/python:latest")
              .named("python")
              .run()
              .ok();
      List<Content> nginx = RealImages.layers("nginx");
      List<Content> python = RealImages.layers("python");
      int shared = outcome.details().path("sharedLayers").asInt();
      assertTrue(shared >= 2 && shared < python.size(), outcome::toString);
      for (Content layer : python) {
        assertEquals(nginx.contains(layer) ? 0 : 1, registry.gets(layer), layer::toString);
      }
      TreeMap<String, String> after = volume.identities();
      before.forEach((name, identity) -> assertEquals(identity, after.get(name), name));
      assertEquals(before.size() + python.size() - shared, after.size());
      registry.forget();
      CopyOutcome again =
          LayersJob.into(volume.path(), work)
              .from(registry, "web/python:latest")
              .named("python-again")
              .run()
              .ok();
      assertEquals(
          List.of(),
          registry.accesses().stream()
              .filter(access -> python.stream().anyMatch(access::gets))
              .toList());
      assertEquals(after, volume.identities(), again::toString);
      volume.assertSound();
    }
  }

  /// Two Jobs convert the same image into the same volume at the same time. Their machines use the
  /// same layers.
  @Test
  @Tag("nightly")
  void conversionsAtTheSameTimeDoTheWorkOnce() throws IOException, InterruptedException {
    LayersVolume volume = LayersVolume.in(work, "volume");
    try (Registry registry = Registry.open(work.resolve("registry"))) {
      Skopeo.copyVerbatim(RealImages.reference("nginx"), registry.image("web/nginx:latest"));
      LayersJob job = LayersJob.into(volume.path(), work).from(registry, "web/nginx:latest");
      try (Service first = job.named("first").begin();
          Service second = job.named("second").begin()) {
        assertEquals(0, first.awaitExit(LayersJob.LIMIT), first::log);
        assertEquals(0, second.awaitExit(LayersJob.LIMIT), second::log);
      }
      volume.assertSound();
      assertEquals(volume.chain("first"), volume.chain("second"));
      RealImages.converted("nginx");
      TreeMap<String, String> expected = RealImages.volume().digests();
      volume.digests().forEach((name, digest) -> assertEquals(expected.get(name), digest, name));
    }
  }
}

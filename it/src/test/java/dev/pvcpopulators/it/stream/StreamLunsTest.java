package dev.pvcpopulators.it.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks PUT, DELETE and a restart for a target with four LUNs. Each LUN has its own image.
@Tag("tools")
final class StreamLunsTest {
  private static final Seed SEED = Seed.of("StreamLunsTest");
  private static final int COUNT = 4;

  /// An image of a disk, and the container image with this disk in the registry.
  ///
  /// @param name `REPOSITORY:TAG`
  private record Source(String name, Path image, String format, ImageLayout layout) {
    Content layer() throws IOException {
      return layout.layers(ImageLayout.LATEST).getFirst();
    }
  }

  private static Path work;
  private static Registry registry;
  private static final List<Source> sources = new ArrayList<>();

  @BeforeAll
  static void makeImages(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    registry = Registry.open(directory.resolve("registry"));
    List<Packing> packings = List.of(Packing.values());
    for (int i = 0; i <= COUNT; i++) {
      Path place = Files.createDirectory(directory.resolve("source-" + i));
      boolean raw = i % 2 == 1;
      List<Recipe> recipes = raw ? Recipe.raw() : Recipe.qcow2();
      Path image = recipes.get(i / 2).make(place, SEED.random(i));
      ImageLayout layout =
          ImageLayout.containerDisk(
              place, "layout", Family.OCI, packings.get(i % packings.size()), image);
      Source source = new Source("disk-" + i + ":latest", image, raw ? "raw" : "qcow2", layout);
      registry.push(layout, ImageLayout.LATEST, source.name());
      sources.add(source);
    }
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  private static StreamLaunch launch(String name) throws IOException {
    StreamLaunch launch = StreamLaunch.on(Files.createDirectory(work.resolve(name)));
    for (int i = 0; i < COUNT; i++) {
      launch = launch.image(i, registry.image(sources.get(i).name()));
    }
    return launch;
  }

  @Test
  void everyToolSeesFourDisks() throws IOException, InterruptedException {
    try (Service service = launch("tools").start()) {
      IscsiLun first = StreamLaunch.put(service);
      assertEquals(0, first.lun());
      assertEquals(StreamLaunch.TARGET, first.target());
      String listed = first.list().ok().out();
      assertTrue(listed.contains("Target:" + StreamLaunch.TARGET), listed);
      for (int i = 0; i < COUNT; i++) {
        IscsiLun lun = first.lun(i);
        assertTrue(listed.contains("Lun:" + i + " "), listed);
        String inquiry = lun.inquiry().ok().out();
        assertTrue(inquiry.contains("Peripheral Device Type:DIRECT_ACCESS"), inquiry);
        String info = lun.info();
        assertTrue(info.contains("virtual size:"), info);
        assertSame(lun, sources.get(i));
        Path copy = work.resolve("copy-" + i);
        lun.convert(copy);
        QemuImg.assertIdentical(sources.get(i).image(), sources.get(i).format(), copy);
        Files.delete(copy);
      }
      assertNotEquals(0, first.lun(COUNT).inquiry().status(), "a LUN that does not exist");
    }
  }

  private static void assertSame(IscsiLun lun, Source source) throws IOException {
    lun.assertHas(source.image(), source.format());
  }

  @Test
  void aBodyAddsALun() throws IOException, InterruptedException {
    try (Service service = launch("body").start()) {
      IscsiLun first = StreamLaunch.put(service);
      Source more = sources.get(COUNT);
      String body = "image: " + registry.image(more.name()) + "\n";
      IscsiLun added = StreamLaunch.put(service, body);
      assertEquals(COUNT, added.lun());
      assertSame(added, more);
      assertEquals(added, StreamLaunch.put(service, body), "the same again");
      assertSame(first, sources.getFirst());
    }
  }

  @Test
  void deleteEndsSessionsAndRemovesEverything() throws IOException, InterruptedException {
    StreamLaunch launch = launch("delete");
    try (Service service = launch.start()) {
      IscsiLun lun = StreamLaunch.put(service);
      try (IscsiSession session = IscsiSession.of(lun)) {
        session.run("read 0 512");
        service.http().delete("/volume").expect(204);
        assertNotEquals(0, lun.inquiry().status(), "a target that was deleted");
        session.kill();
      }
      assertTrue(service.volume().status() == 404, "the volume is gone");
      assertSame(StreamLaunch.put(service), sources.getFirst());
    }
  }

  /// If the pull of an image was complete before a restart, the service does not pull the image
  /// again.
  @Test
  @Tag("nightly")
  void aRestartFindsCompleteImages() throws IOException, InterruptedException {
    StreamLaunch launch = launch("restart").with("READY", "complete");
    IscsiLun lun;
    try (Service service = launch.start()) {
      lun = StreamLaunch.put(service);
      lun.io("write -P 7 1M 4k", "flush").ok();
    }
    registry.forget();
    try (Service service = launch.start()) {
      assertEquals(lun, StreamLaunch.put(service));
      lun.io("read -P 7 1M 4k").ok();
      for (int i = 1; i < COUNT; i++) {
        assertSame(lun.lun(i), sources.get(i));
      }
      for (Source source : sources) {
        assertEquals(0, registry.gets(source.layer()), "requests for a layer that is complete");
      }
    }
  }
}

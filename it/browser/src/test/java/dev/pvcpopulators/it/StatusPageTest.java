package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The page of the services that pull, while they work on images that a slow registry sends.
@Tag("tools")
@ExtendWith(Chromium.Given.class)
@Timeout(1200)
final class StatusPageTest {
  private static final Seed SEED = Seed.of("StatusPageTest");
  private static final int DATA = 8 << 20;

  /// What comes through the valve before it holds: the uppermost layers, and a part of the lowest.
  private static final long HEAD = 4L << 20;

  /// An element, if anybody took it for one; a name that files may have.
  private static final String HOSTILE = "<img src=x onerror=alert(1)>";

  /// Where the tests' tools are installed.
  private static final String KERNEL = "/var/cache/pvc-populators/guest-kernel";

  private static final String DISK = "disks/layered:1";
  private static final String TREES = "disks/nginx:1.29";
  private static final String CROWDED = "disks/crowded:1";

  private static Path work;
  private static Registry registry;

  @BeforeAll
  static void makeImages(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    registry = Registry.open(directory.resolve("registry"));
    Random random = SEED.random();
    Path disk = file(directory.resolve("disk.img"), random);
    ImageLayout layout = ImageLayout.in(directory, "layered");
    LayerTree lowest = LayerTree.in(directory, "lowest").file("disk/disk.img", disk);
    LayerTree upper = LayerTree.in(directory, "upper").empty("etc/upper");
    LayerTree top = LayerTree.in(directory, "top").empty("etc/top");
    layout.tag(
        ImageLayout.LATEST,
        layout.image(
            Family.OCI,
            List.of(
                layout.layer(Family.OCI, Packing.GZIP_STORED, lowest),
                layout.layer(Family.OCI, Packing.GZIP, upper),
                layout.layer(Family.OCI, Packing.GZIP, top))));
    registry.push(layout, ImageLayout.LATEST, DISK);

    ImageLayout trees = ImageLayout.in(directory, "trees");
    LayerTree below = LayerTree.in(directory, "below").empty("etc/release");
    LayerTree above = LayerTree.in(directory, "above").file("srv/data", disk);
    trees.tag(
        ImageLayout.LATEST,
        trees.image(
            Family.OCI,
            List.of(
                trees.layer(Family.OCI, Packing.GZIP, below),
                trees.layer(Family.OCI, Packing.GZIP_STORED, above))));
    registry.push(trees, ImageLayout.LATEST, TREES);

    ImageLayout crowded = ImageLayout.in(directory, "crowded");
    LayerTree two = LayerTree.in(directory, "two").empty("disk/" + HOSTILE).empty("disk/disk.img");
    crowded.tag(
        ImageLayout.LATEST,
        crowded.image(Family.OCI, List.of(crowded.layer(Family.OCI, Packing.GZIP, two))));
    registry.push(crowded, ImageLayout.LATEST, CROWDED);
  }

  private static Path file(Path path, Random random) throws IOException {
    byte[] bytes = new byte[DATA];
    random.nextBytes(bytes);
    return Files.write(path, bytes);
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  private static Launch pulling(String service, String prefix, String name, Valve valve)
      throws IOException {
    Path volume = Files.createDirectory(work.resolve(service + "-" + System.nanoTime()));
    return Launch.of(service, volume)
        .with(prefix + "IMAGE", valve.image(name))
        .with(prefix + "INSECURE_REGISTRIES", valve.address());
  }

  private static void awaitPhase(Visit visit, String phase) {
    visit.page().locator("volume-status[data-phase=" + phase + "]").waitFor();
  }

  private static Locator part(Visit visit, String state) {
    return visit.page().locator("volume-parts .part[data-state=" + state + "]");
  }

  private static double value(Locator bar) {
    return ((Number) bar.evaluate("bar => bar.value")).doubleValue();
  }

  @Test
  void aCopyMovesLayerByLayer(Chromium chromium) throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service = pulling("registry-copy", "REGISTRY_COPY_", DISK, valve).start();
        Visit visit = chromium.visit().open(service.base())) {
      visit.grant("clipboard-read", "clipboard-write");
      awaitPhase(visit, "Absent");
      visit.examine("copy-absent");
      valve.only(HEAD);
      visit.button("Make the volume").click();
      valve.awaitHolding();
      Locator moving = part(visit, "moving");
      moving.first().waitFor();
      assertEquals(3, visit.page().locator("volume-parts").getByRole(AriaRole.PROGRESSBAR).count());
      Locator bar = moving.first().getByRole(AriaRole.PROGRESSBAR);
      String title = visit.page().title();
      assertTrue(title.matches("\\d+% · registry-copy"), title);
      visit.examine("copy-moving");
      double half = value(bar);
      valve.only(HEAD / 2);
      visit
          .page()
          .waitForFunction("([bar, half]) => bar.value > half", List.of(bar.elementHandle(), half));
      valve.open();
      awaitPhase(visit, "Ready");
      visit.examine("copy-ready");
      copiesTheSource(visit);
    }
  }

  private static void copiesTheSource(Visit visit) {
    visit.button("Copy").click();
    visit.page().getByText("Copied.").waitFor();
    Object copied = visit.page().evaluate("() => navigator.clipboard.readText()");
    assertEquals(visit.page().locator("volume-source pre").first().textContent(), copied);
    assertEquals(
        "- name: disk\n  persistentVolumeClaim:\n    claimName: some-pvc-name\n",
        visit.page().locator("volume-source pre").last().textContent());
    assertTrue(String.valueOf(copied).contains("claimname: some-pvc-name"), copied::toString);
  }

  @Test
  @Tag("nightly")
  void lunsFillAndShowTheirInitiators(Chromium chromium) throws IOException, InterruptedException {
    Path cache = Files.createDirectory(work.resolve("cache"));
    try (Valve valve = Valve.before(registry.port());
        Service service = StreamLaunch.on(cache).image(valve.image(DISK)).start();
        Visit visit = chromium.visit().open(service.base())) {
      awaitPhase(visit, "Absent");
      valve.only(HEAD);
      IscsiLun lun = StreamLaunch.put(service);
      valve.awaitHolding();
      awaitPhase(visit, "Ready");
      part(visit, "moving").first().waitFor();
      try (IscsiSession session = IscsiSession.reading(lun)) {
        session.run("read 0 4k");
        visit.page().locator("volume-sessions tbody").getByText(IscsiLun.INITIATOR).waitFor();
        visit.examine("luns-moving");
      }
      visit.page().getByText("No initiator is connected.").waitFor();
      valve.open();
      part(visit, "done").first().waitFor();
      visit.examine("luns-done");
    }
  }

  @Test
  @Tag("nightly")
  void aStackIsMadeLayerByLayer(Chromium chromium) throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service =
            pulling("image-to-qcow2-layers", "IMAGE_TO_QCOW2_LAYERS_", TREES, valve)
                .with("IMAGE_TO_QCOW2_LAYERS_COMMAND", "/nothing")
                .with("IMAGE_TO_QCOW2_LAYERS_KERNEL", KERNEL)
                .start();
        Visit visit = chromium.visit().open(service.base())) {
      awaitPhase(visit, "Absent");
      valve.only(HEAD);
      visit.button("Make the volume").click();
      valve.awaitHolding();
      part(visit, "moving").first().waitFor();
      visit.examine("stack-moving");
      valve.open();
      awaitPhase(visit, "Ready");
      visit.examine("stack-ready");
    }
  }

  @Test
  void failuresAreListedAndNamesStayText(Chromium chromium)
      throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service =
            pulling("registry-copy", "REGISTRY_COPY_", "disks/absent:1", valve).start();
        Visit visit = chromium.visit().open(service.base())) {
      visit.button("Make the volume").click();
      awaitPhase(visit, "Failed");
      visit.page().locator("volume-failures li").waitFor();
      visit.page().getByLabel("Image", exact()).fill(valve.image(CROWDED));
      visit.button("Try again").click();
      visit
          .page()
          .locator("volume-failures li")
          .filter(new Locator.FilterOptions().setHasText(HOSTILE))
          .waitFor();
      assertEquals(2, visit.page().locator("volume-failures li").count());
      assertEquals(0, visit.page().locator("img[onerror]").count());
      visit.examine("copy-failed");
      visit.page().getByLabel("Image", exact()).fill(HOSTILE);
      visit.button("Try again").click();
      visit.page().getByText("Expected an image reference").first().waitFor();
      assertEquals(0, visit.page().locator("img[onerror]").count());
    }
  }

  private static Page.GetByLabelOptions exact() {
    return new Page.GetByLabelOptions().setExact(true);
  }

  @Test
  void aTokenIsAskedForAndKeptInTheTab(Chromium chromium) throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service =
            pulling("registry-copy", "REGISTRY_COPY_", DISK, valve)
                .with("POPULATOR_TOKEN", "right")
                .start();
        Visit visit = chromium.visit().open(service.base())) {
      Locator token = visit.named(AriaRole.TEXTBOX, "Token");
      token.fill("wrong");
      visit.button("Use token").click();
      visit.page().locator("volume-token [role=alert]").getByText("refused").waitFor();
      visit.examine("status-locked");
      token.fill("right");
      visit.button("Use token").click();
      awaitPhase(visit, "Absent");
      visit.page().reload();
      awaitPhase(visit, "Absent");
      assertEquals("{}", visit.page().evaluate("() => JSON.stringify(localStorage)"));
      visit.button("Forget the token").click();
      token.waitFor();
    }
  }
}

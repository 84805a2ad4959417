package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
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

/// Tests the page of the services that pull images. A [Valve] between the service and the registry
/// limits the bytes from the registry.
@Tag("tools")
@ExtendWith(Chromium.Parameter.class)
@Timeout(1200)
final class StatusPageTest {
  private static final Seed SEED = Seed.of("StatusPageTest");
  private static final int DATA = 8 << 20;

  /// The number of bytes that the valve forwards before it stops. These bytes contain the small
  /// layers and a part of the large layer.
  private static final long HEAD = 4L << 20;

  /// A valid file name that becomes an HTML element if the page does not escape the name.
  private static final String HOSTILE = "<img src=x onerror=alert(1)>";

  /// The directory into which `.ci/install-test-tools` unpacks the guest's kernel.
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

  private static void awaitPhase(BrowserSession session, String phase) {
    session.page().locator("volume-status[data-phase=" + phase + "]").waitFor();
  }

  private static Locator part(BrowserSession session, String state) {
    return session.page().locator("volume-parts .part[data-state=" + state + "]");
  }

  private static double value(Locator bar) {
    return ((Number) bar.evaluate("bar => bar.value")).doubleValue();
  }

  @Test
  void showsTheLayersOfACopy(Chromium chromium) throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service = pulling("registry-copy", "REGISTRY_COPY_", DISK, valve).start();
        BrowserSession session = chromium.session().open(service.base())) {
      session.grant("clipboard-read", "clipboard-write");
      awaitPhase(session, "Absent");
      session.examine("copy-absent");
      valve.only(HEAD);
      session.button("Make the volume").click();
      valve.awaitHolding();
      // The small layers may also be in progress, but the page does not show their sizes in MiB.
      Locator moving =
          part(session, "moving").filter(new Locator.FilterOptions().setHasText("MiB"));
      moving.first().waitFor();
      assertEquals(
          3, session.page().locator("volume-parts").getByRole(AriaRole.PROGRESSBAR).count());
      Locator bar = moving.first().getByRole(AriaRole.PROGRESSBAR);
      String title = session.page().title();
      assertTrue(title.matches("\\d+% · registry-copy"), title);
      session.examine("copy-moving");
      double half = value(bar);
      valve.only(HEAD / 2);
      session
          .page()
          .waitForFunction("([bar, half]) => bar.value > half", List.of(bar.elementHandle(), half));
      valve.open();
      awaitPhase(session, "Ready");
      session.examine("copy-ready");
      copiesTheSource(session);
    }
  }

  private static void copiesTheSource(BrowserSession session) {
    session.button("Copy").click();
    session.page().getByText("Copied.").waitFor();
    Object copied = session.page().evaluate("() => navigator.clipboard.readText()");
    assertEquals(session.page().locator("volume-source pre").first().textContent(), copied);
    assertEquals(
        "- name: disk\n  persistentVolumeClaim:\n    claimName: some-pvc-name\n",
        session.page().locator("volume-source pre").last().textContent());
    assertTrue(String.valueOf(copied).contains("claimname: some-pvc-name"), copied::toString);
  }

  @Test
  @Tag("nightly")
  void showsLunsAndTheirInitiators(Chromium chromium) throws IOException, InterruptedException {
    Path cache = Files.createDirectory(work.resolve("cache"));
    try (Valve valve = Valve.before(registry.port());
        Service service = StreamLaunch.on(cache).image(valve.image(DISK)).start();
        BrowserSession session = chromium.session().open(service.base())) {
      awaitPhase(session, "Absent");
      valve.only(HEAD);
      IscsiLun lun = StreamLaunch.put(service);
      valve.awaitHolding();
      awaitPhase(session, "Ready");
      part(session, "moving").first().waitFor();
      try (IscsiSession initiator = IscsiSession.reading(lun)) {
        initiator.run("read 0 4k");
        session.page().locator("volume-sessions tbody").getByText(IscsiLun.INITIATOR).waitFor();
        session.examine("luns-moving");
      }
      session.page().getByText("No initiator is connected.").waitFor();
      valve.open();
      part(session, "done").first().waitFor();
      session.examine("luns-done");
    }
  }

  @Test
  @Tag("nightly")
  void showsTheLayersOfAStack(Chromium chromium) throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service =
            pulling("image-to-qcow2-layers", "IMAGE_TO_QCOW2_LAYERS_", TREES, valve)
                .with("IMAGE_TO_QCOW2_LAYERS_COMMAND", "/nothing")
                .with("IMAGE_TO_QCOW2_LAYERS_KERNEL", KERNEL)
                .start();
        BrowserSession session = chromium.session().open(service.base())) {
      awaitPhase(session, "Absent");
      valve.only(HEAD);
      session.button("Make the volume").click();
      valve.awaitHolding();
      part(session, "moving").first().waitFor();
      session.examine("stack-moving");
      valve.open();
      awaitPhase(session, "Ready");
      session.examine("stack-ready");
    }
  }

  @Test
  void listsFailuresAndEscapesNames(Chromium chromium) throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service =
            pulling("registry-copy", "REGISTRY_COPY_", "disks/absent:1", valve).start();
        BrowserSession session = chromium.session().open(service.base())) {
      session.button("Make the volume").click();
      awaitPhase(session, "Failed");
      session.page().locator("volume-failures li").waitFor();
      session.page().getByLabel("Image", exact()).fill(valve.image(CROWDED));
      session.button("Try again").click();
      session
          .page()
          .locator("volume-failures li")
          .filter(new Locator.FilterOptions().setHasText(HOSTILE))
          .waitFor();
      assertEquals(2, session.page().locator("volume-failures li").count());
      assertEquals(0, session.page().locator("img[onerror]").count());
      session.examine("copy-failed");
      session.page().getByLabel("Image", exact()).fill(HOSTILE);
      session.button("Try again").click();
      session.page().getByText("Expected an image reference").first().waitFor();
      assertEquals(0, session.page().locator("img[onerror]").count());
    }
  }

  private static Page.GetByLabelOptions exact() {
    return new Page.GetByLabelOptions().setExact(true);
  }

  @Test
  void requestsATokenAndKeepsItInTheTab(Chromium chromium)
      throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port());
        Service service =
            pulling("registry-copy", "REGISTRY_COPY_", DISK, valve)
                .with("POPULATOR_TOKEN", "right")
                .start();
        BrowserSession session = chromium.session().open(service.base())) {
      Locator token = session.named(AriaRole.TEXTBOX, "Token");
      token.fill("wrong");
      session.button("Use token").click();
      session.page().locator("volume-token [role=alert]").getByText("refused").waitFor();
      session.examine("status-locked");
      token.fill("right");
      session.button("Use token").click();
      awaitPhase(session, "Absent");
      session.page().reload();
      awaitPhase(session, "Absent");
      assertEquals("{}", session.page().evaluate("() => JSON.stringify(localStorage)"));
      session.button("Forget the token").click();
      token.waitFor();
    }
  }
}

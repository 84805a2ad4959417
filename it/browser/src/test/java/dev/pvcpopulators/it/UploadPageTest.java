package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.FileChooser;
import com.microsoft.playwright.options.AriaRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Uploads that go well, over a network that is slow, or cut, or gone for a while.
@Tag("tools")
@ExtendWith(Chromium.Given.class)
@Timeout(1200)
final class UploadPageTest {
  /// Enough that the browser cannot hand all of it to the system's buffers at once.
  private static final int DATA = 24 << 20;

  private static final long SOME = 3 << 20;

  /// Long enough to get from the first to the last thing on the page.
  private static final int MOST_TABS = 20;

  /// The same at each run, so that pictures are.
  private static final long SEED = 7;

  private static Path work;
  private static Path raw;
  private static VolumeDirectory volume;
  private static Service service;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    byte[] bytes = new byte[DATA];
    new Random(SEED).nextBytes(bytes);
    raw = Files.write(directory.resolve("debian-13.raw"), bytes);
    volume = VolumeDirectory.in(directory, "volume");
    service = Launch.on(volume.path()).start();
  }

  @AfterEach
  void empty() throws IOException, InterruptedException {
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void takesAPickedFile(Chromium chromium) throws IOException, InterruptedException {
    Path image = work.resolve("debian-13.qcow2");
    QemuImg.run("convert", "-f", "raw", "-O", "qcow2", raw.toString(), image.toString());
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit().open(sluice.base())) {
      visit.awaitState("idle").examine("upload-idle");
      Upload upload = new Upload(visit);
      sluice.only(SOME);
      upload.pick(image);
      sluice.awaitHolding();
      visit.awaitState("sending");
      upload.awaitBeyond(0);
      double before = upload.sent();
      visit.examine("upload-sending");
      sluice.only(SOME);
      upload.awaitBeyond(before);
      sluice.open();
      upload.assertDone(image, "qcow2", volume);
      visit.page().locator("volume-source pre").first().getByText("some-pvc-name").waitFor();
      visit.examine("upload-done");
    }
  }

  @Test
  @Tag("nightly")
  void takesADroppedFileAndThenAnother(Chromium chromium) throws IOException, InterruptedException {
    try (Visit visit = chromium.visit().open(service.base())) {
      Upload upload = new Upload(visit);
      visit.awaitState("idle");
      upload.drop(raw).assertDone(raw, "raw", volume);
      upload.confirm("Delete the volume", "Yes, delete it");
      visit.awaitState("idle");
      volume.assertEmpty();
      Path other = work.resolve("other.raw");
      QemuImg.create(other, "raw", "", "64M");
      upload.pick(other).assertDone(other, "raw", volume);
    }
  }

  @Test
  void pausesAndGoesOn(Chromium chromium) throws IOException, InterruptedException {
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit().open(sluice.base())) {
      Upload upload = new Upload(visit);
      visit.awaitState("idle");
      sluice.only(SOME);
      upload.pick(raw);
      sluice.awaitHolding();
      visit.button("Pause").click();
      visit.awaitState("paused").examine("upload-paused");
      sluice.open();
      visit.button("Resume").click();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  void goesOnByItselfWhenTheNetworkIsBack(Chromium chromium)
      throws IOException, InterruptedException {
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit().open(sluice.base())) {
      Upload upload = new Upload(visit);
      visit.awaitState("idle");
      sluice.only(SOME);
      upload.pick(raw);
      sluice.awaitHolding();
      sluice.breakOff();
      visit.awaitState("waiting").examine("upload-waiting");
      sluice.open();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  void goesOnAfterAReloadWithTheSameFileOnly(Chromium chromium)
      throws IOException, InterruptedException {
    Path other = Files.write(work.resolve("ubuntu-26.raw"), new byte[DATA]);
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit().open(sluice.base())) {
      Upload upload = new Upload(visit);
      visit.awaitState("idle");
      sluice.only(SOME);
      upload.pick(raw);
      sluice.awaitHolding();
      visit.page().reload();
      visit.awaitState("resumable").examine("upload-resumable");
      assertTrue(upload.sent() > 0, "what has arrived is shown");
      upload.pick(other);
      assertTrue(visit.alert().contains("This is another file"), visit::alert);
      visit.examine("upload-other-file");
      sluice.open();
      upload.pick(raw).assertDone(raw, "raw", volume);
    }
  }

  @Test
  @Tag("nightly")
  void goesOnAfterAReloadWithADroppedFile(Chromium chromium)
      throws IOException, InterruptedException {
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit().open(sluice.base())) {
      Upload upload = new Upload(visit);
      visit.awaitState("idle");
      sluice.only(SOME);
      upload.drop(raw);
      sluice.awaitHolding();
      visit.page().reload();
      sluice.open();
      // Nobody is asked for the file: the browser has kept what it gave with the drop.
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  @Tag("nightly")
  void startsAgainByItselfWhereTheServiceWasKilled(Chromium chromium)
      throws IOException, InterruptedException {
    VolumeDirectory own = VolumeDirectory.in(work, "killed");
    try (Service first = Launch.on(own.path()).start();
        Sluice sluice = Sluice.before(first);
        Visit visit = chromium.visit().open(sluice.base())) {
      Upload upload = new Upload(visit);
      visit.awaitState("idle");
      sluice.only(SOME);
      upload.pick(raw);
      sluice.awaitHolding();
      first.kill();
      visit.awaitState("waiting");
      try (Service second = Launch.on(own.path()).start()) {
        sluice.lead(second);
        sluice.open();
        upload.assertDone(raw, "raw", own);
      }
    }
  }

  @Test
  @Tag("nightly")
  void isUsedByKeyboardAlone(Chromium chromium) throws IOException, InterruptedException {
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit()) {
      // As in browsers that have the plain picker only.
      visit.page().addInitScript("delete window.showOpenFilePicker");
      // Before the page is opened: waitForFileChooser tells the browser to report choosers and does
      // not wait until it does, so that a key pressed at once may open one that is not reported.
      Deque<FileChooser> choosers = new ConcurrentLinkedDeque<>();
      visit.page().onFileChooser(choosers::add);
      visit.open(sluice.base()).awaitState("idle");
      Upload upload = new Upload(visit);
      sluice.only(SOME);
      tabTo(visit, "Choose a disk image");
      visit.page().keyboard().press("Space");
      visit.page().waitForCondition(() -> !choosers.isEmpty());
      choosers.remove().setFiles(raw);
      sluice.awaitHolding();
      visit.awaitState("sending");
      tabTo(visit, "Pause");
      visit.page().keyboard().press("Enter");
      visit.awaitState("paused");
      sluice.open();
      assertEquals("Resume", visit.focused());
      visit.page().keyboard().press("Space");
      upload.assertDone(raw, "raw", volume);
      tabTo(visit, "Delete the volume");
      visit.page().keyboard().press("Enter");
      visit.named(AriaRole.DIALOG, "Delete the volume?").waitFor();
      visit.examine("upload-delete");
      visit.page().keyboard().press("Escape");
      visit.named(AriaRole.DIALOG, "Delete the volume?").waitFor(Visit.gone());
      assertEquals("done", visit.state());
    }
  }

  /// Presses Tab until something has the focus, if it has not; whatever has it has to show that.
  private static void tabTo(Visit visit, String name) {
    for (int count = 0; count < MOST_TABS; count++) {
      if (name.equals(visit.focused())) {
        return;
      }
      visit.page().keyboard().press("Tab");
    }
    throw new AssertionError("Tab does not lead to " + name);
  }
}

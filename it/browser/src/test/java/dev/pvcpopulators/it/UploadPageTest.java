package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.FileChooser;
import com.microsoft.playwright.options.AriaRole;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
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

/// Tests successful uploads over normal, slow and interrupted networks.
@Tag("tools")
@ExtendWith(Chromium.Parameter.class)
@Timeout(1200)
final class UploadPageTest {
  /// The size of the main test file in bytes. This file does not fit into the socket buffers.
  private static final int DATA = 24 << 20;

  private static final long SOME = 3 << 20;

  /// The maximum number of presses of Tab; greater than the number of focusable elements of the
  /// page.
  private static final int MOST_TABS = 20;

  /// The seed is constant, so that screenshots do not change.
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
  void uploadsAChosenFile(Chromium chromium) throws IOException, InterruptedException {
    Path image = work.resolve("debian-13.qcow2");
    QemuImg.run("convert", "-f", "raw", "-O", "qcow2", raw.toString(), image.toString());
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session().open(proxy.base())) {
      session.awaitState("idle").examine("upload-idle");
      UploadPage upload = new UploadPage(session);
      proxy.only(SOME);
      upload.pick(image);
      proxy.awaitHolding();
      session.awaitState("sending");
      upload.awaitBeyond(0);
      double before = upload.sent();
      session.examine("upload-sending");
      proxy.only(SOME);
      upload.awaitBeyond(before);
      proxy.open();
      upload.assertDone(image, "qcow2", volume);
      session.page().locator("volume-source pre").first().getByText("some-pvc-name").waitFor();
      session.examine("upload-done");
    }
  }

  @Test
  @Tag("nightly")
  void uploadsADroppedFileAndThenAnother(Chromium chromium)
      throws IOException, InterruptedException {
    try (BrowserSession session = chromium.session().open(service.base())) {
      UploadPage upload = new UploadPage(session);
      session.awaitState("idle");
      upload.drop(raw).assertDone(raw, "raw", volume);
      upload.confirm("Delete the volume", "Yes, delete it");
      session.awaitState("idle");
      volume.assertEmpty();
      Path other = work.resolve("other.raw");
      QemuImg.create(other, "raw", "", "64M");
      upload.pick(other).assertDone(other, "raw", volume);
    }
  }

  @Test
  void pausesAndResumes(Chromium chromium) throws IOException, InterruptedException {
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session().open(proxy.base())) {
      UploadPage upload = new UploadPage(session);
      session.awaitState("idle");
      proxy.only(SOME);
      upload.pick(raw);
      proxy.awaitHolding();
      session.button("Pause").click();
      session.awaitState("paused").examine("upload-paused");
      proxy.open();
      session.button("Resume").click();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  void resumesWhenTheNetworkIsBack(Chromium chromium) throws IOException, InterruptedException {
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session().open(proxy.base())) {
      UploadPage upload = new UploadPage(session);
      session.awaitState("idle");
      proxy.only(SOME);
      upload.pick(raw);
      proxy.awaitHolding();
      proxy.breakOff();
      session.awaitState("waiting").examine("upload-waiting");
      proxy.open();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  void resumesAfterAReloadWithTheSameFileOnly(Chromium chromium)
      throws IOException, InterruptedException {
    Path other = Files.write(work.resolve("ubuntu-26.raw"), new byte[DATA]);
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session().open(proxy.base())) {
      UploadPage upload = new UploadPage(session);
      session.awaitState("idle");
      proxy.only(SOME);
      upload.pick(raw);
      proxy.awaitHolding();
      session.page().reload();
      session.awaitState("resumable").examine("upload-resumable");
      assertTrue(upload.sent() > 0, "the received bytes are shown");
      upload.pick(other);
      assertTrue(session.alert().contains("This is another file"), session::alert);
      session.examine("upload-other-file");
      proxy.open();
      upload.pick(raw).assertDone(raw, "raw", volume);
    }
  }

  @Test
  @Tag("nightly")
  void resumesAfterAReloadWithADroppedFile(Chromium chromium)
      throws IOException, InterruptedException {
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session().open(proxy.base())) {
      UploadPage upload = new UploadPage(session);
      session.awaitState("idle");
      proxy.only(SOME);
      upload.drop(raw);
      proxy.awaitHolding();
      session.page().reload();
      proxy.open();
      // The page needs no file dialog, because the browser has stored the handle of the dropped
      // file.
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  @Tag("nightly")
  void restartsIfTheServiceWasKilled(Chromium chromium) throws IOException, InterruptedException {
    VolumeDirectory own = VolumeDirectory.in(work, "killed");
    try (Service first = Launch.on(own.path()).start();
        UploadFaultProxy proxy = UploadFaultProxy.before(first);
        BrowserSession session = chromium.session().open(proxy.base())) {
      UploadPage upload = new UploadPage(session);
      session.awaitState("idle");
      proxy.only(SOME);
      upload.pick(raw);
      proxy.awaitHolding();
      first.kill();
      session.awaitState("waiting");
      try (Service second = Launch.on(own.path()).start()) {
        proxy.redirectTo(second);
        proxy.open();
        upload.assertDone(raw, "raw", own);
      }
    }
  }

  @Test
  @Tag("nightly")
  void worksWithTheKeyboardAlone(Chromium chromium) throws IOException, InterruptedException {
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session()) {
      // Simulates a browser without file handles.
      session.page().addInitScript("delete window.showOpenFilePicker");
      // The test registers a listener for file choosers before the page is open.
      // `waitForFileChooser` would register its listener later, and would not wait for the end of
      // the registration. If a key then opened a chooser immediately, the browser might not report
      // the chooser.
      Deque<FileChooser> choosers = new ConcurrentLinkedDeque<>();
      session.page().onFileChooser(choosers::add);
      session.open(proxy.base()).awaitState("idle");
      UploadPage upload = new UploadPage(session);
      proxy.only(SOME);
      tabTo(session, "Choose a disk image");
      session.page().keyboard().press("Space");
      session.page().waitForCondition(() -> !choosers.isEmpty());
      choosers.remove().setFiles(raw);
      proxy.awaitHolding();
      session.awaitState("sending");
      tabTo(session, "Pause");
      session.page().keyboard().press("Enter");
      session.awaitState("paused");
      proxy.open();
      assertEquals("Resume", session.focused());
      session.page().keyboard().press("Space");
      upload.assertDone(raw, "raw", volume);
      tabTo(session, "Delete the volume");
      session.page().keyboard().press("Enter");
      session.named(AriaRole.DIALOG, "Delete the volume?").waitFor();
      session.examine("upload-delete");
      session.page().keyboard().press("Escape");
      session.named(AriaRole.DIALOG, "Delete the volume?").waitFor(BrowserSession.gone());
      assertEquals("done", session.state());
    }
  }

  /// Presses Tab until the named element has a visible focus.
  private static void tabTo(BrowserSession session, String name) {
    for (int count = 0; count < MOST_TABS; count++) {
      if (name.equals(session.focused())) {
        return;
      }
      session.page().keyboard().press("Tab");
    }
    throw new AssertionError("Tab does not reach " + name);
  }
}

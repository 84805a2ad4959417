package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Uploads that cannot be: what the page says of them, and that another one goes well afterwards.
@Tag("tools")
@ExtendWith(Chromium.Given.class)
@Timeout(1200)
final class UploadRefusalsTest {
  private static final int DATA = 8 << 20;

  /// Beyond the head of a request, and within the first part of a file.
  private static final long WITHIN = 512 << 10;

  private static final long SMALL_VOLUME = 16 << 20;

  /// The same at each run, so that pictures are.
  private static final long SEED = 8;

  /// An element, if anybody took it for one; a name that files may have.
  private static final String HOSTILE = "<img src=x onerror=alert(1)>.qcow2";

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
  void aTruncatedImageIsToldAndAWholeOneTakenThen(Chromium chromium)
      throws IOException, InterruptedException {
    Path image = work.resolve("whole.qcow2");
    QemuImg.run("convert", "-f", "raw", "-O", "qcow2", raw.toString(), image.toString());
    Path truncated = Files.copy(image, work.resolve(HOSTILE));
    try (RandomAccessFile file = new RandomAccessFile(truncated.toFile(), "rw")) {
      file.setLength(DATA / 2);
    }
    try (Visit visit = chromium.visit().open(service.base())) {
      visit.awaitState("idle");
      Upload upload = new Upload(visit).pick(truncated);
      visit.awaitState("failed");
      String alert = visit.alert();
      assertTrue(alert.contains("qemu-img check"), alert);
      assertTrue(visit.page().locator("#file-name").textContent().startsWith(HOSTILE));
      assertEquals(0, visit.page().locator("img[onerror]").count());
      visit.page().locator("volume-failures li").first().waitFor();
      volume.assertEmpty();
      visit.examine("upload-failed");
      upload.pick(image).assertDone(image, "qcow2", volume);
    }
  }

  @Test
  @Tag("nightly")
  void whatIsNoImageOfTheChosenFormatIsRefused(Chromium chromium)
      throws IOException, InterruptedException {
    try (Visit visit = chromium.visit().open(service.base())) {
      visit.awaitState("idle");
      visit.page().locator("summary").first().click();
      visit.page().locator("#format").selectOption("qcow2");
      visit.page().locator("#command").getByText("format=qcow2").waitFor();
      Upload upload = new Upload(visit);
      upload.pick(raw);
      visit.awaitState("failed");
      volume.assertEmpty();
      visit.page().locator("#format").selectOption("");
      visit.button("Start again").click();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  void bytesThatChangeOnTheirWayAreNoticed(Chromium chromium)
      throws IOException, InterruptedException {
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit().open(sluice.base())) {
      visit.awaitState("idle");
      sluice.flip(WITHIN);
      Upload upload = new Upload(visit).pick(raw);
      visit.awaitState("failed");
      assertTrue(visit.alert().contains("bytes changed on their way"), visit::alert);
      volume.assertEmpty();
      visit.button("Start again").click();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  @Tag("nightly")
  void whatIsLargerThanTheVolumeIsRefused(Chromium chromium)
      throws IOException, InterruptedException {
    Path large = work.resolve("large.raw");
    QemuImg.create(large, "raw", "", "1G");
    Path deep = work.resolve("deep.qcow2");
    QemuImg.create(deep, "qcow2", "", "1G");
    try (Ext4Volume small = Ext4Volume.of(work, "small", SMALL_VOLUME);
        Service own = Launch.on(small.directory().path()).start();
        Visit visit = chromium.visit().open(own.base())) {
      Upload upload = new Upload(visit);
      for (Path image : new Path[] {large, deep}) {
        visit.awaitState("idle", "failed");
        upload.pick(image);
        visit.page().getByRole(AriaRole.ALERT).getByText("Take a").first().waitFor();
        visit.awaitState("failed");
      }
      visit.examine("upload-too-large");
      small.directory().assertEmpty();
      own.kill(); // before its volume goes away
    }
  }

  @Test
  void waitsForTheTokenAndGoesOn(Chromium chromium) throws IOException, InterruptedException {
    VolumeDirectory own = VolumeDirectory.in(work, "closed");
    try (Service closed = Launch.on(own.path()).with("POPULATOR_TOKEN", "right").start();
        Visit visit = chromium.visit().open(closed.base())) {
      visit.awaitState("locked").examine("upload-locked");
      Locator token = visit.named(AriaRole.TEXTBOX, "Token");
      token.fill("wrong");
      visit.button("Use token").click();
      visit.page().locator("volume-token [role=alert]").getByText("refused").waitFor();
      assertEquals("locked", visit.state());
      token.fill("right");
      visit.button("Use token").click();
      visit.awaitState("idle");
      new Upload(visit).pick(raw).assertDone(raw, "raw", own);
      visit.page().reload();
      visit.awaitState("occupied");
      assertEquals("{}", visit.page().evaluate("() => JSON.stringify(localStorage)"));
    }
  }

  @Test
  @Tag("nightly")
  void anotherUploadIsShownAndCanBeCancelled(Chromium chromium)
      throws IOException, InterruptedException {
    try (Sluice sluice = Sluice.before(service);
        Visit visit = chromium.visit()) {
      sluice.only(WITHIN);
      Process curl = Curl.begin(raw, sluice.base().resolve("/upload"));
      try {
        sluice.awaitHolding();
        visit.open(service.base()).awaitState("occupied");
        visit.page().getByText("Another tab or program is uploading").waitFor();
        visit.examine("upload-occupied");
        Upload upload = new Upload(visit);
        upload.confirm("Cancel that upload", "Yes, cancel it");
        visit.awaitState("idle", "failed");
        upload.pick(raw).assertDone(raw, "raw", volume);
      } finally {
        curl.destroyForcibly().onExit().join();
      }
    }
  }
}

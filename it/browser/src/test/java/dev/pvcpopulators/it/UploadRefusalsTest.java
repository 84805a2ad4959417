package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
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

/// Tests the message on the page after a failed upload, and the success of the next upload.
@Tag("tools")
@ExtendWith(Chromium.Parameter.class)
@Timeout(1200)
final class UploadRefusalsTest {
  private static final int DATA = 8 << 20;

  /// An offset in an upload's first request, in bytes. At this offset, the request contains bytes
  /// of the file, not headers.
  private static final long WITHIN = 512 << 10;

  private static final long SMALL_VOLUME = 16 << 20;

  /// The seed is constant, so that screenshots do not change.
  private static final long SEED = 8;

  /// A valid file name that becomes an HTML element if the page does not escape the name.
  private static final String HOSTILE = "<img src=x onerror=alert(1)>.qcow2";

  /// An example of a path that the proxy of the Kubernetes API server uses for a Service.
  private static final String PROXIED = "/api/v1/namespaces/n/services/https:s:8443/proxy";

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
  @Tag("nightly")
  void showsThatAnImageIsTruncatedAndAcceptsACompleteOne(Chromium chromium)
      throws IOException, InterruptedException {
    Path image = work.resolve("whole.qcow2");
    QemuImg.run("convert", "-f", "raw", "-O", "qcow2", raw.toString(), image.toString());
    Path truncated = Files.copy(image, work.resolve(HOSTILE));
    try (RandomAccessFile file = new RandomAccessFile(truncated.toFile(), "rw")) {
      file.setLength(DATA / 2);
    }
    try (BrowserSession session = chromium.session().open(service.base())) {
      session.awaitState("idle");
      UploadPage upload = new UploadPage(session).pick(truncated);
      session.awaitState("failed");
      String alert = session.alert();
      assertTrue(alert.contains("qemu-img check"), alert);
      assertTrue(session.page().locator("#file-name").textContent().startsWith(HOSTILE));
      assertEquals(0, session.page().locator("img[onerror]").count());
      session.page().locator("volume-failures li").first().waitFor();
      volume.assertEmpty();
      session.examine("upload-failed");
      upload.pick(image).assertDone(image, "qcow2", volume);
    }
  }

  @Test
  @Tag("nightly")
  void refusesAnotherFormatThanTheChosenOne(Chromium chromium)
      throws IOException, InterruptedException {
    try (BrowserSession session = chromium.session().open(service.base())) {
      session.awaitState("idle");
      session.page().locator("summary").first().click();
      session.page().locator("#format").selectOption("qcow2");
      session.page().locator("#command").getByText("format=qcow2").waitFor();
      UploadPage upload = new UploadPage(session);
      upload.pick(raw);
      session.awaitState("failed");
      volume.assertEmpty();
      session.page().locator("#format").selectOption("");
      session.button("Start again").click();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  @Tag("nightly")
  void detectsBytesThatChangedInTransit(Chromium chromium)
      throws IOException, InterruptedException {
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session().open(proxy.base())) {
      session.awaitState("idle");
      proxy.flip(WITHIN);
      UploadPage upload = new UploadPage(session).pick(raw);
      session.awaitState("failed");
      assertTrue(session.alert().contains("bytes changed in transit"), session::alert);
      volume.assertEmpty();
      session.button("Start again").click();
      upload.assertDone(raw, "raw", volume);
    }
  }

  @Test
  @Tag("nightly")
  void refusesADiskLargerThanTheVolume(Chromium chromium) throws IOException, InterruptedException {
    Path large = work.resolve("large.raw");
    QemuImg.create(large, "raw", "", "1G");
    Path deep = work.resolve("deep.qcow2");
    QemuImg.create(deep, "qcow2", "", "1G");
    try (Ext4Volume small = Ext4Volume.of(work, "small", SMALL_VOLUME);
        Service own = Launch.on(small.directory().path()).start();
        BrowserSession session = chromium.session().open(own.base())) {
      UploadPage upload = new UploadPage(session);
      for (Path image : new Path[] {large, deep}) {
        session.awaitState("idle", "failed");
        upload.pick(image);
        session.page().getByRole(AriaRole.ALERT).getByText("Take a").first().waitFor();
        session.awaitState("failed");
      }
      session.examine("upload-too-large");
      small.directory().assertEmpty();
      own.kill(); // The volume can be unmounted only after this kill.
    }
  }

  /// Uses a proxy that behaves like the proxy of the Kubernetes API server: it adds a prefix to the
  /// service's path, and removes the field `Authorization`.
  @Test
  void waitsForTheTokenAndContinues(Chromium chromium) throws IOException, InterruptedException {
    VolumeDirectory own = VolumeDirectory.in(work, "closed");
    try (Service closed = Launch.on(own.path()).with("POPULATOR_TOKEN", "right").start();
        Nginx proxy =
            Nginx.open(
                Files.createDirectory(work.resolve("nginx")),
                """
                client_max_body_size 0;
                location %s/ {
                  proxy_pass %s/;
                  proxy_set_header Authorization "";
                  proxy_request_buffering off;
                  proxy_buffering off;
                }
                """
                    .formatted(PROXIED, closed.uri("")));
        BrowserSession session =
            chromium.session().open(URI.create("http://localhost:" + proxy.port() + PROXIED))) {
      session.awaitState("locked").examine("upload-locked");
      Locator token = session.named(AriaRole.TEXTBOX, "Token");
      token.fill("wrong");
      session.button("Use token").click();
      session.page().locator("volume-token [role=alert]").getByText("refused").waitFor();
      assertEquals("locked", session.state());
      token.fill("right");
      session.button("Use token").click();
      session.awaitState("idle");
      new UploadPage(session).pick(raw).assertDone(raw, "raw", own);
      session.page().reload();
      session.awaitState("occupied");
      assertEquals("{}", session.page().evaluate("() => JSON.stringify(localStorage)"));
      assertTrue(
          session.page().locator("#command").textContent().endsWith(PROXIED + "/upload'"),
          () -> session.page().locator("#command").textContent());
    }
  }

  @Test
  @Tag("nightly")
  void showsAnotherUploadAndCancelsIt(Chromium chromium) throws IOException, InterruptedException {
    try (UploadFaultProxy proxy = UploadFaultProxy.before(service);
        BrowserSession session = chromium.session()) {
      proxy.only(WITHIN);
      Process curl = Curl.begin(raw, proxy.base().resolve("/upload"));
      try {
        proxy.awaitHolding();
        session.open(service.base()).awaitState("occupied");
        session.page().getByText("Another tab or program is uploading").waitFor();
        session.examine("upload-occupied");
        UploadPage upload = new UploadPage(session);
        upload.confirm("Cancel that upload", "Yes, cancel it");
        session.awaitState("idle", "failed");
        upload.pick(raw).assertDone(raw, "raw", volume);
      } finally {
        curl.destroyForcibly().onExit().join();
      }
    }
  }
}

package dev.pvcpopulators.it.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks access to LUNs: access modes, copy modes, CHAP and allow-lists.
@Tag("tools")
final class StreamAccessTest {
  private static final Seed SEED = Seed.of("StreamAccessTest");
  private static final String OTHER = "iqn.2026-11.dev.pvcpopulators:second";

  private static final int INVENTED = 300;

  /// EX_CONFIG of sysexits.h.
  private static final int CONFIG = 78;

  private static final String USER = "somebody";
  private static final String SECRET = "a-secret-of-24-characters";

  private static Path work;
  private static Path disk;
  private static Registry registry;
  private static String image;

  @BeforeAll
  static void makeImage(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    disk = Recipe.qcow2().getFirst().make(directory, SEED.random());
    registry = Registry.open(directory.resolve("registry"));
    ImageLayout layout =
        ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, disk);
    registry.push(layout, ImageLayout.LATEST, "disk:latest");
    image = registry.image("disk:latest");
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  private static StreamLaunch launch(String name) throws IOException {
    return StreamLaunch.on(Files.createDirectory(work.resolve(name))).image(image);
  }

  @Test
  void writeExclusiveIsForOneInitiator() throws IOException, InterruptedException {
    try (Service service = launch("exclusive").with("ACCESS_MODE", "write-exclusive").start()) {
      IscsiLun lun = StreamLaunch.put(service);
      try (IscsiSession first = IscsiSession.of(lun)) {
        first.run("write -P 1 0 4k");
        assertNotEquals(0, lun.as(OTHER).io("read 0 512").status(), "a second initiator reads");
        assertNotEquals(0, lun.as(OTHER).io("write 0 512").status(), "a second initiator writes");
        lun.io("read -P 1 0 4k").ok(); // a second session of the first initiator
        first.run("read -P 1 0 4k");
      }
      // The first initiator has logged out.
      lun.as(OTHER).io("read -P 1 0 4k", "write -P 2 0 4k", "read -P 2 0 4k").ok();
    }
  }

  /// After the connection of an initiator has broken, this initiator can use its LUN again. Another
  /// initiator cannot read this LUN.
  @Test
  void writeExclusiveStaysWhereTheConnectionBroke() throws IOException, InterruptedException {
    try (Service service = launch("broken").start()) {
      IscsiLun lun = StreamLaunch.put(service);
      try (IscsiSession first = IscsiSession.of(lun)) {
        first.run("write -P 1 0 4k");
        first.kill();
      }
      assertNotEquals(0, lun.as(OTHER).io("read 0 512").status(), "a second initiator");
      lun.io("read -P 1 0 4k").ok();
    }
  }

  @Test
  void writeSharedIsForAll() throws IOException, InterruptedException {
    try (Service service = launch("shared").with("ACCESS_MODE", "write-shared").start()) {
      IscsiLun lun = StreamLaunch.put(service);
      try (IscsiSession first = IscsiSession.of(lun);
          IscsiSession second = IscsiSession.of(lun.as(OTHER))) {
        first.run("write -P 1 0 4k");
        second.run("read -P 1 0 4k");
        second.run("write -P 2 2k 4k");
        first.run("read -P 2 2k 4k");
        first.run("read -P 1 0 2k");
      }
    }
  }

  @Test
  void readSharedRefusesWrites() throws IOException, InterruptedException {
    try (Service service = launch("read").with("ACCESS_MODE", "read-shared").start()) {
      IscsiLun lun = StreamLaunch.put(service);
      try (IscsiSession first = IscsiSession.reading(lun.as(OTHER))) {
        first.run("read 0 4k");
        lun.assertHas(disk, "qcow2");
        assertNotEquals(0, lun.io("write -P 1 0 4k").status(), "a write");
        lun.assertHas(disk, "qcow2");
      }
    }
  }

  /// The service writes blocks into an overlay, and does not change the image.
  @Test
  void copyOnWriteKeepsTheImage() throws IOException, InterruptedException {
    StreamLaunch launch =
        launch("overlay").with("COPY_MODE", "copy-on-write").with("ACCESS_MODE", "write-shared");
    try (Service service = launch.start()) {
      IscsiLun lun = StreamLaunch.put(service);
      lun.io("write -P 9 1M 70k", "flush").ok();
      lun.io("read -P 9 1M 70k").ok();
      IscsiLun plain =
          StreamLaunch.put(
              service, "image: " + image + "\naccessMode: read-shared\ncopyMode: none\n");
      assertNotEquals(lun.lun(), plain.lun());
      plain.assertHas(disk, "qcow2");
      lun.io("read -P 9 1M 70k").ok();
    }
  }

  @Test
  void aCloneIsASeparateDisk() throws IOException, InterruptedException {
    StreamLaunch launch = launch("clone").with("COPY_MODE", "clone");
    try (Service service = launch.start()) {
      IscsiLun lun = StreamLaunch.put(service);
      lun.assertHas(disk, "qcow2");
      lun.io("write -P 9 1M 70k", "flush", "read -P 9 1M 70k").ok();
    }
    try (Service service = launch.start()) {
      StreamLaunch.put(service).io("read -P 9 1M 70k").ok();
    }
  }

  @Test
  void anInitiatorThatIsNotListedSeesNothing() throws IOException, InterruptedException {
    StreamLaunch launch = launch("listed").with("INITIATORS", IscsiLun.INITIATOR + ",127.0.0.0/8");
    try (Service service = launch.start()) {
      IscsiLun lun = StreamLaunch.put(service);
      lun.io("read 0 512").ok();
      assertTrue(lun.list().ok().out().contains(StreamLaunch.TARGET), "discovery");
      assertFalse(lun.as(OTHER).list().out().contains(StreamLaunch.TARGET), "discovery");
      assertNotEquals(0, lun.as(OTHER).inquiry().status(), "a name that is not listed");
    }
    try (Service service = launch("network").with("INITIATORS", "10.0.0.0/8").start()) {
      IscsiLun lun = StreamLaunch.put(service);
      assertNotEquals(0, lun.inquiry().status(), "an address that is not listed");
    }
  }

  /// The number of initiator names exceeds the limit for overlays. An initiator that writes nothing
  /// uses no overlay.
  @Test
  @Tag("nightly")
  void inventedInitiatorsDoNotExhaustOverlays() throws IOException, InterruptedException {
    StreamLaunch launch =
        launch("invented")
            .with("COPY_MODE", "copy-on-write")
            .with("ACCESS_MODE", "write-shared")
            .with("OVERLAY_PER", "initiator");
    try (Service service = launch.start()) {
      IscsiLun lun = StreamLaunch.put(service);
      for (int i = 0; i < INVENTED; i++) {
        lun.as(OTHER + "-" + i).inquiry().ok();
      }
      lun.io("write -P 1 0 4k", "read -P 1 0 4k").ok();
      lun.as(OTHER).assertHas(disk, "qcow2");
      lun.io("read -P 1 0 4k").ok();
    }
  }

  @Test
  void chapIsAskedFor() throws IOException, InterruptedException {
    Path secret = Files.writeString(work.resolve("secret"), SECRET + "\n");
    StreamLaunch launch =
        launch("chap").with("CHAP_USER", USER).with("CHAP_SECRET_FILE", secret.toString());
    try (Service service = launch.start()) {
      Answer answer = StreamLaunch.tryPut(service, "").expect(201);
      assertFalse(answer.text().contains(SECRET), "the secret in an answer");
      IscsiLun lun = IscsiLun.of(answer);
      lun.chap(USER, SECRET).assertHas(disk, "qcow2");
      lun.chap(USER, SECRET).io("write -P 1 0 4k", "read -P 1 0 4k").ok();
      assertNotEquals(0, lun.inquiry().status(), "no CHAP");
      assertFalse(lun.list().out().contains(StreamLaunch.TARGET), "discovery without CHAP");
      String listed = lun.chap(USER, SECRET).list().ok().out();
      assertTrue(listed.contains(StreamLaunch.TARGET), listed);
      assertNotEquals(0, lun.chap(USER, SECRET + "x").inquiry().status(), "a wrong secret");
      assertNotEquals(0, lun.chap("root", SECRET).inquiry().status(), "a wrong name");
      lun.chap(USER, SECRET).inquiry().ok();
      // Kubernetes may change the file of a mounted Secret.
      String changed = "another-secret-of-that-kind";
      Files.writeString(secret, changed);
      lun.chap(USER, changed).inquiry().ok();
      assertNotEquals(0, lun.chap(USER, SECRET).inquiry().status(), "the old secret");
      assertFalse(service.log().contains(SECRET), "the secret in the log");
    }
  }

  @Test
  void aSecretThatIsTooShortIsRefused() throws IOException, InterruptedException {
    Path secret = Files.writeString(work.resolve("short"), "elevenbytes");
    StreamLaunch launch =
        launch("too-short").with("CHAP_USER", USER).with("CHAP_SECRET_FILE", secret.toString());
    assertEquals(CONFIG, launch.refused());
  }
}

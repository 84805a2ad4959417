package dev.pvcpopulators.it.stream;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.guest.Guest;
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

/// Checks a target with the Linux initiator of a virtual machine. The guest uses CHAP, and makes a
/// file system on the LUN. The data survives logouts and a killed target.
@Tag("tools")
final class StreamGuestTest {
  private static final String USER = "guest";
  private static final String TARGET_USER = "the-target";
  private static final String TARGET_SECRET = "target-secret-of-31-characters";
  private static final String SECRET = "guest-secret-of-30-characters";

  /// Shell functions: `know USER SECRET` creates iscsiadm's record of the target, with these CHAP
  /// credentials. `login` logs in and waits for the disk. `logout` logs out and waits until the
  /// disk is removed.
  private static final String FUNCTIONS =
      """
      node() { iscsiadm -m node -T $target -p $portal "$@"; }
      set_node() { node -o update -n "$1" -v "$2"; }
      login() { node --login; until [ -b /dev/sda ]; do usleep 20000; done; }
      logout() { node --logout; while [ -b /dev/sda ]; do usleep 20000; done; }
      know() {
        node -o new
        set_node node.session.auth.authmethod CHAP
        set_node node.session.auth.username $1
        set_node node.session.auth.password $2
      }
      """;

  private static Path work;
  private static Registry registry;
  private static String image;

  @BeforeAll
  static void makeImage(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    Path disk = directory.resolve("empty.qcow2");
    QemuImg.create(disk, "qcow2", "", "256M");
    registry = Registry.open(directory.resolve("registry"));
    ImageLayout layout =
        ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, disk);
    registry.push(layout, ImageLayout.LATEST, "empty:latest");
    image = registry.image("empty:latest");
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  private static StreamLaunch launch(String name) throws IOException {
    Path secret = Files.writeString(work.resolve(name + ".secret"), SECRET);
    return StreamLaunch.on(Files.createDirectory(work.resolve(name)))
        .image(image)
        .with("CHAP_USER", USER)
        .with("CHAP_SECRET_FILE", secret.toString());
  }

  /// Returns the beginning of a guest's script: the target, the portal and the functions.
  static String prelude(IscsiLun lun) {
    return "target="
        + lun.target()
        + "\nportal="
        + Guest.HOST
        + ":"
        + lun.port()
        + "\n"
        + FUNCTIONS;
  }

  static String roundTrip(String user, String secret) {
    return "know "
        + user
        + " "
        + "a-wrong-secret-of-that-kind\n"
        + "if node --login; then echo 'a wrong secret is taken'; exit 1; fi\n"
        + "set_node node.session.auth.password "
        + secret
        + "\n"
        + """
        set_node node.session.auth.username_in the-target
        set_node node.session.auth.password_in another-wrong-secret
        if node --login; then echo 'a target that proves nothing is taken'; exit 1; fi
        set_node node.session.auth.password_in target-secret-of-31-characters
        set_node node.conn[0].iscsi.HeaderDigest CRC32C
        set_node node.conn[0].iscsi.DataDigest CRC32C
        login
        iscsiadm -m session -P 3 | grep 'HeaderDigest: CRC32C'
        iscsiadm -m session -P 3 | grep 'DataDigest: CRC32C'
        mkfs.ext4 -q /dev/sda
        mount /dev/sda /mnt
        dd if=/dev/urandom of=/mnt/file bs=1M count=8
        sum=$(sha256sum </mnt/file)
        umount /mnt
        logout
        login
        e2fsck -fn /dev/sda
        mount -o ro /dev/sda /mnt
        [ "$(sha256sum </mnt/file)" = "$sum" ]
        umount /mnt
        logout
        """;
  }

  /// Uses mutual CHAP, and header and data digests.
  @Test
  @Tag("nightly")
  void aFileSystemSurvivesALogout() throws IOException, InterruptedException {
    Path secret = Files.writeString(work.resolve("mutual.secret"), TARGET_SECRET);
    StreamLaunch launch =
        launch("logout")
            .with("MUTUAL_USER", TARGET_USER)
            .with("MUTUAL_SECRET_FILE", secret.toString());
    try (Service service = launch.start()) {
      IscsiLun lun = StreamLaunch.put(service).as(Guest.INITIATOR).chap(USER, SECRET);
      try (Guest guest = Guest.initiator(work, prelude(lun) + roundTrip(USER, SECRET))) {
        guest.ok();
      }
      assertClean(lun);
    }
  }

  static String writing(String user, String secret) {
    return "know "
        + user
        + " "
        + secret
        + "\n"
        + """
        login
        mkfs.ext4 -q /dev/sda
        mount /dev/sda /mnt
        for i in 1 2 3 4 5 6 7 8; do
          dd if=/dev/urandom of=/mnt/file$i bs=1M count=1 2>/dev/null
          sha256sum /mnt/file$i >>/tmp/sums
          sync
          echo "wrote $i"
        done
        umount /mnt
        logout
        login
        e2fsck -fn /dev/sda
        mount -o ro /dev/sda /mnt
        sha256sum -c /tmp/sums
        umount /mnt
        logout
        """;
  }

  /// The guest's writes wait until the target runs again. No write is lost.
  @Test
  @Tag("nightly")
  void theTargetIsKilledInTheMiddleOfWriting() throws IOException, InterruptedException {
    StreamLaunch launch = launch("kill");
    IscsiLun lun;
    Service killed = launch.start();
    try (killed) {
      lun = StreamLaunch.put(killed).as(Guest.INITIATOR).chap(USER, SECRET);
      try (Guest guest = Guest.initiator(work, prelude(lun) + writing(USER, SECRET))) {
        guest.await("wrote 3");
        long before = killed.pid();
        killed.kill();
        try (Service again = launch.start()) {
          assertNotEquals(before, again.pid());
          guest.await("wrote 8");
          guest.ok();
          assertClean(lun);
        }
      }
    }
  }

  /// Fails the test if the host's `e2fsck` finds an error on the disk.
  private static void assertClean(IscsiLun lun) throws IOException {
    Path copy = work.resolve("copy.raw");
    lun.convert(copy);
    Command.run("e2fsck", "-fn", copy.toString());
    Files.delete(copy);
  }
}

package dev.pvcpopulators.registrystreamiscsi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.registrystreamiscsi.fixture.DiskLayout;
import dev.pvcpopulators.registrystreamiscsi.lun.ExportedLun;
import dev.pvcpopulators.registrystreamiscsi.lun.InitiatorOverlays;
import dev.pvcpopulators.registrystreamiscsi.lun.WantedLun;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the LUNs after a restart of the service, and the limits of overlays. In some tests, file
/// operations fail.
final class RestartTest {
  private static final VolumeRequest SEVENTH =
      new VolumeRequest(
          JsonNodeFactory.instance.objectNode().put("lun", 7).put("copyMode", "copy-on-write"));

  @TempDir Path work;

  @BeforeEach
  void makeImage() throws Exception {
    Files.createDirectory(work.resolve("cache"));
    DiskLayout.makeOfDemo(work.resolve("layout"));
  }

  private StreamedVolumes volumes(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("registry-stream-iscsi.image", "oci:" + work.resolve("layout"));
    settings.put("registry-stream-iscsi.ready", "complete");
    settings.putAll(more);
    return TestVolumes.in(work.resolve("cache"), settings);
  }

  /// Creates LUN 0 from the settings and LUN 7 from a request of a client, and closes the service.
  private void makeAndStop() throws Exception {
    StreamedVolumes volumes = volumes(Map.of());
    StreamedVolumes.Begun begun = volumes.begin(new Progress());
    List<WantedLun> wanted = begun.missing().stream().map(it -> WantedLun.anew(it, null)).toList();
    begun.volume().creation().createAll(wanted);
    var _ = begun.volume().creation().add(SEVENTH);
    begun.volume().close();
    volumes.close();
  }

  /// A directory has the temporary name of the new record, so the service cannot write the record.
  @Test
  void aLunIsExportedWhereNothingCanBeNoted() throws Exception {
    makeAndStop();
    Files.createDirectory(work.resolve("cache/luns/0/lun.json.new"));
    StreamedVolumes again = volumes(Map.of("registry-stream-iscsi.access-mode", "read-shared"));
    StreamedVolume volume = again.reopen().orElseThrow();
    assertEquals(List.of(0, 7), volume.exports().luns().stream().map(ExportedLun::number).toList());
    assertTrue(volume.publication().broken().isEmpty());
    volume.close();
    again.close();
  }

  @Test
  void aLunThatCannotBeOpenedIsFailedAndTriedAgain() throws Exception {
    makeAndStop();
    for (int lun : List.of(0, 7)) {
      Path disk = work.resolve("cache/luns/" + lun + "/overlay.img");
      Files.move(disk, disk.resolveSibling("elsewhere"));
    }
    StreamedVolumes again = volumes(Map.of());
    StreamedVolume volume = again.reopen().orElseThrow();
    assertEquals(Set.of(0, 7), volume.publication().broken().keySet());
    assertEquals(2, volume.parts().stream().filter(it -> it.name().matches("[07]")).count());
    assertThrows(VolumeException.class, () -> volume.creation().add(SEVENTH));
    for (int lun : List.of(0, 7)) {
      Path disk = work.resolve("cache/luns/" + lun + "/overlay.img");
      Files.move(disk.resolveSibling("elsewhere"), disk);
    }
    assertEquals(7, ((IscsiSource) volume.creation().add(SEVENTH).source()).lun());
    long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    while (!volume.publication().broken().isEmpty() && System.nanoTime() < end) {
      Thread.sleep(50);
    }
    assertEquals(Map.of(), volume.publication().broken());
    assertEquals(List.of(0, 7), volume.exports().luns().stream().map(ExportedLun::number).toList());
    volume.close();
    again.close();
  }

  /// Other hosts can reach the portal, so no request and no earlier record may export a LUN to
  /// every initiator.
  @Test
  void aLunWithoutChapAndInitiatorsIsNotForOtherMachines() throws Exception {
    makeAndStop();
    Map<String, String> reached =
        Map.of(
            "registry-stream-iscsi.bind", "0.0.0.0",
            "registry-stream-iscsi.initiators", "192.0.2.0/24");
    StreamedVolumes closed = volumes(reached);
    StreamedVolume volume = closed.reopen().orElseThrow();
    assertEquals(List.of(0, 7), volume.exports().luns().stream().map(ExportedLun::number).toList());
    volume.close();
    closed.close();

    StreamedVolumes open = volumes(Map.of("registry-stream-iscsi.bind", "0.0.0.0"));
    StreamedVolume none = open.reopen().orElseThrow();
    assertEquals(Set.of(0, 7), none.publication().broken().keySet());
    assertTrue(none.exports().luns().isEmpty());
    VolumeException refused =
        assertThrows(
            VolumeException.class,
            () ->
                none.creation()
                    .add(
                        new VolumeRequest(
                            JsonNodeFactory.instance
                                .objectNode()
                                .put("lun", 8)
                                .put("copyMode", "copy-on-write"))));
    assertTrue(
        refused.failure().detail().contains("REGISTRY_STREAM_ISCSI_AUTH=none"),
        refused.failure().detail());
    none.close();
    open.close();

    StreamedVolumes said =
        volumes(
            Map.of("registry-stream-iscsi.bind", "0.0.0.0", "registry-stream-iscsi.auth", "none"));
    StreamedVolume all = said.reopen().orElseThrow();
    assertEquals(List.of(0, 7), all.exports().luns().stream().map(ExportedLun::number).toList());
    all.close();
    said.close();
  }

  private static final Map<String, String> OWN_OVERLAYS =
      Map.of(
          "registry-stream-iscsi.overlay-per", "initiator",
          "registry-stream-iscsi.copy-mode", "copy-on-write",
          "registry-stream-iscsi.access-mode", "write-shared");

  private static Nexus session(int name, String address) throws UnknownHostException {
    return new Nexus(
        new InitiatorPort("iqn.2026-01.test:" + name, 1),
        InetAddress.getByName(address),
        Optional.empty());
  }

  private static void write(ExportedLun lun, Nexus session) throws IOException {
    lun.unit(session).medium().write(0, ByteBuffer.allocate(4096));
  }

  private List<Path> overlays() throws IOException {
    try (Stream<Path> all = Files.list(work.resolve("cache/luns/0/initiators"))) {
      return all.toList();
    }
  }

  private static StreamedVolume begin(StreamedVolumes volumes) throws Exception {
    StreamedVolumes.Begun begun = volumes.begin(new Progress());
    begun
        .volume()
        .creation()
        .createAll(begun.missing().stream().map(it -> WantedLun.anew(it, null)).toList());
    return begun.volume();
  }

  /// The number of initiator names is larger than the maximum number of overlays of a LUN.
  @Test
  void inventedNamesTakeNoOverlays() throws Exception {
    StreamedVolumes volumes = volumes(OWN_OVERLAYS);
    StreamedVolume volume = begin(volumes);
    ExportedLun lun = volume.exports().luns().iterator().next();
    Nexus genuine = session(-1, "10.0.0.1");
    write(lun, genuine);
    for (int i = 0; i < 300; i++) {
      Nexus invented = session(i, "10.0.0.1");
      assertEquals(lun.length(), lun.unit(invented).medium().length());
      lun.left(invented);
    }
    lun.left(genuine);
    assertEquals(1, overlays().size());
    ByteBuffer read = ByteBuffer.allocate(4096);
    lun.unit(session(-1, "10.0.0.1")).medium().read(0, read);
    assertEquals(ByteBuffer.allocate(4096), read.flip());
    volume.close();
    volumes.close();
  }

  @Test
  void anOverlayStaysWhileOneOfItsSessionsDoes() throws Exception {
    StreamedVolumes volumes = volumes(OWN_OVERLAYS);
    StreamedVolume volume = begin(volumes);
    ExportedLun lun = volume.exports().luns().iterator().next();
    Nexus one = session(1, "10.0.0.1");
    Nexus other = session(1, "10.0.0.1");
    assertSame(lun.unit(one), lun.unit(other));
    lun.left(one);
    write(lun, other);
    assertEquals(1, overlays().size());
    volume.close();
    volumes.close();
  }

  /// One address can create only a part of all overlays. After a restart, the stored overlays count
  /// towards this limit.
  @Test
  void overlaysAreCountedByAddressAndOnDisk() throws Exception {
    StreamedVolumes volumes = volumes(OWN_OVERLAYS);
    StreamedVolume volume = begin(volumes);
    ExportedLun lun = volume.exports().luns().iterator().next();
    int most = InitiatorOverlays.MOST_OF_A_NETWORK;
    for (int i = 0; i < most; i++) {
      write(lun, session(i, "10.0.0.1"));
    }
    Nexus more = session(most, "10.0.0.1");
    assertThrows(IllegalStateException.class, () -> lun.unit(more));
    var _ = lun.unit(session(most, "10.0.0.2"));
    assertEquals(most + 1, overlays().size());
    volume.close();
    volumes.close();

    StreamedVolumes again = volumes(OWN_OVERLAYS);
    StreamedVolume reopened = again.reopen().orElseThrow();
    ExportedLun same = reopened.exports().luns().iterator().next();
    assertEquals(most, overlays().size(), "the one that nobody wrote to");
    assertThrows(IllegalStateException.class, () -> same.unit(more));
    write(same, session(0, "10.0.0.1"));
    write(same, session(most, "10.0.0.2"));
    reopened.close();
    again.close();
  }
}

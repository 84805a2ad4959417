package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.kit.settings.CheckedBy;
import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.source.ImageDiskSettings;
import dev.pvcpopulators.kit.source.RegistrySettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The settings of this service; settings shared by all services begin with `populator`.
/// POPULATOR_TARGET is the directory of images and LUNs.
@CheckedBy(StreamRules.class)
@ConfigMapping(prefix = "registry-stream-iscsi")
public interface RegistryStreamIscsiSettings extends RegistrySettings {
  /// The one LUN of a simple configuration.
  @WithParentName
  Lun single();

  /// Several LUNs: REGISTRY_STREAM_ISCSI_LUNS_0__IMAGE and so on, each with the settings of [Lun].
  Optional<List<Lun>> luns();

  @Described("Of artifacts with a disk for each of several hypervisors, the one to take")
  @WithDefault("qemu")
  String diskType();

  @Described("The iSCSI name of the target")
  @WithDefault("iqn.2017-01.io.kubevirt:registry-stream-iscsi")
  String target();

  @Described(
      value =
          "Name or address by which initiators reach this service, as PUT /volume and discovery give"
              + " it. When unset: POD_IP, else the address that is bound, else this machine's name",
      example = "lun.vms.svc")
  Optional<String> host();

  @Described("TCP port of the iSCSI portal, 0 for a free one")
  @WithDefault("3260")
  int port();

  @Described(
      value =
          "Addresses to listen on for iSCSI, separated by commas. When unset: a loopback address where"
              + " HTTP listens on one, else all",
      example = "0.0.0.0")
  Optional<List<String>> bind();

  @Described(
      "'none': initiators may use LUNs that ask for neither a CHAP user nor a place among the"
          + " initiators. Unset: the service does not listen beyond loopback with such a LUN")
  Optional<Auth> auth();

  @Described(
      "'header': PUT /volume answers as soon as the LUN can be read; 'complete': after the pull")
  @WithDefault("header")
  Ready ready();

  @Described("Exports a LUN only after its whole image has been pulled and its digest verified")
  @WithDefault("false")
  boolean verifyBeforeExport();

  @Described(
      "With copy-on-write and copy-on-read, 'lun': one overlay for all initiators; 'initiator': each"
          + " has its own")
  @WithDefault("lun")
  OverlayPer overlayPer();

  @Described("How long a read waits for data on its way until it is answered BUSY")
  @WithDefault("20s")
  Duration arrivalTimeout();

  @Described(
      "How long a broken pull is retried without progress until it is given up: reads of missing"
          + " data are answered BUSY before, and MEDIUM ERROR afterwards")
  @WithDefault("1h")
  Duration giveUpAfter();

  @Described(
      "How many MiB ahead of the pull a read must be for its range to be fetched by itself, which"
          + " uncompressed layers allow")
  @WithDefault("16")
  int farReadMebibytes();

  @Described(
      "Images that are pulled at once, each with buffers and the window of its decompression. Others"
          + " wait when their headers are there and their LUNs can be opened")
  @WithDefault("4")
  int maxPulls();

  @Described("How long an initiator may be silent until it is asked whether it is there")
  @WithDefault("30s")
  Duration keepalive();

  @Described("How long initiators may take to log out when asked to")
  @WithDefault("5s")
  Duration logoutGrace();

  @Described("How long write-exclusive keeps a LUN for an initiator whose session was lost")
  @WithDefault("60s")
  Duration exclusiveGrace();

  @Described("Sessions at once")
  @WithDefault("32")
  int maxSessions();

  @Described("Takes only initiators that use CRC32C digests")
  @WithDefault("false")
  boolean requireDigests();

  @Described("Takes CHAP with MD5, which is all that some initiators know, QEMU's among them")
  @WithDefault("true")
  boolean chapMd5();

  /// The name and secret that the target authenticates with, if an initiator requires mutual CHAP.
  Mutual mutual();

  /// One LUN.
  interface Lun extends ImageDiskSettings {
    @Described(value = "Number of the LUN, 0 to 16383; the next free one when unset", example = "0")
    Optional<Integer> lun();

    @Described("Format of the disk: 'auto' goes by magic numbers; raw and qcow2 take it as that")
    @WithDefault("auto")
    String format();

    @Described(
        "'write-exclusive': one initiator; 'write-shared': any number, reading and writing;"
            + " 'read-shared': any number, reading")
    @WithDefault("write-exclusive")
    AccessMode accessMode();

    @Described(
        "Where writes go: 'none' (as if to the image: no second LUN that may be written shows it),"
            + " 'copy-on-write', 'copy-on-read' (an"
            + " overlay) or 'clone' (a full copy)")
    @WithDefault("none")
    CopyMode copyMode();

    @Described(
        value =
            "Initiators that see the LUN: iSCSI names and networks (10.0.0.0/8), separated by commas."
                + " Where names are given, the name must be one of them; where networks are, the address"
                + " must lie in one. When unset, all",
        example = "iqn.1994-05.com.redhat:node-1,10.0.0.0/8")
    Optional<List<String>> initiators();

    @Described(value = "The CHAP name that an initiator must have for the LUN", example = "vm")
    Optional<String> chapUser();

    @Described(
        value = "File with that name's secret (12 bytes or more), such as a mounted Secret",
        example = "/etc/chap/secret",
        secret = true)
    Optional<Path> chapSecretFile();
  }

  /// Mutual CHAP.
  interface Mutual {
    @Described(value = "The CHAP name of the target itself", example = "target")
    Optional<String> user();

    @Described(
        value = "File with that name's secret, another than the initiators'",
        example = "/etc/chap/own-secret",
        secret = true)
    Optional<Path> secretFile();
  }

  /// The initiators that may use a LUN without its own restriction.
  enum Auth {
    NONE
  }

  /// When a LUN counts as ready.
  enum Ready {
    HEADER,
    COMPLETE
  }

  /// The owner of an overlay.
  enum OverlayPer {
    LUN,
    INITIATOR
  }
}

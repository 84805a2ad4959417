package dev.pvcpopulators.registrystreamiscsi.settings;

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

/// The settings of this service, without the settings that all services share (prefix `populator`).
/// POPULATOR_TARGET is the directory of images and LUNs.
@CheckedBy(StreamRules.class)
@ConfigMapping(prefix = "registry-stream-iscsi")
public interface RegistryStreamIscsiSettings extends RegistrySettings {
  /// The one LUN of a simple configuration. Its settings are also the defaults for fields that a
  /// client omits. The LUN's number is a default only for a request without fields.
  @WithParentName
  Lun single();

  /// The LUNs of a configuration with several LUNs. Each LUN has the settings of [Lun]. For
  /// example, REGISTRY_STREAM_ISCSI_LUNS_0__IMAGE is the image of the first LUN.
  Optional<List<Lun>> luns();

  @Described("The hypervisor whose disk is used, if an artifact has disks for several")
  @WithDefault("qemu")
  String diskType();

  @Described("The iSCSI name of the target")
  @WithDefault("iqn.2017-01.io.kubevirt:registry-stream-iscsi")
  String target();

  @Described(
      value =
          "The name or address that PUT /volume and discovery announce to initiators."
              + " Default: POD_IP, otherwise the bound address, otherwise the machine's name",
      example = "lun.vms.svc")
  Optional<String> host();

  @Described("TCP port of the iSCSI portal; 0: any free port")
  @WithDefault("3260")
  int port();

  @Described(
      value =
          "Addresses to listen on for iSCSI, separated by commas. Default: a loopback"
              + " address if HTTP listens on one, otherwise all",
      example = "0.0.0.0")
  Optional<List<String>> bind();

  @Described(
      "'none' permits LUNs with neither a CHAP user nor initiators. Unset: with such a"
          + " LUN the service does not listen beyond loopback")
  Optional<Auth> auth();

  @Described(
      "'header': PUT /volume answers as soon as the LUN can be read; 'complete': after the pull")
  @WithDefault("header")
  Ready ready();

  @Described("Exports a LUN only after its whole image has been pulled and its digest verified")
  @WithDefault("false")
  boolean verifyBeforeExport();

  @Described(
      "For copy-on-write and copy-on-read: 'lun' is one overlay for all initiators,"
          + " 'initiator' is one overlay for each initiator")
  @WithDefault("lun")
  OverlayPer overlayPer();

  @Described("How long a read waits for data that have not arrived, before it is answered BUSY")
  @WithDefault("20s")
  Duration arrivalTimeout();

  @Described(
      "How long a broken pull is retried without progress. Until then reads of missing"
          + " data are answered BUSY, afterwards MEDIUM ERROR")
  @WithDefault("1h")
  Duration giveUpAfter();

  @Described(
      "Distance in MiB from which a read ahead of the pull is requested separately, if"
          + " the layer is uncompressed")
  @WithDefault("16")
  int farReadMebibytes();

  @Described(
      "Maximum number of parallel pulls, each with its own buffers and decompression"
          + " window. Further pulls read the header, so that their LUNs can be opened, and"
          + " then wait")
  @WithDefault("4")
  int maxPulls();

  @Described("How long an initiator may be silent before it receives a NOP-In ping")
  @WithDefault("30s")
  Duration keepalive();

  @Described("How long initiators may take to log out on request")
  @WithDefault("5s")
  Duration logoutGrace();

  @Described(
      "How long a write-exclusive LUN stays reserved for an initiator after its session"
          + " was lost")
  @WithDefault("60s")
  Duration exclusiveGrace();

  @Described("Maximum number of sessions")
  @WithDefault("32")
  int maxSessions();

  @Described("Requires CRC32C digests of initiators")
  @WithDefault("false")
  boolean requireDigests();

  @Described("Permits CHAP with MD5; some initiators, such as QEMU's, support nothing else")
  @WithDefault("true")
  boolean chapMd5();

  /// The name and secret with which the target authenticates itself if an initiator requires mutual
  /// CHAP.
  Mutual mutual();

  /// The settings of one LUN.
  interface Lun extends ImageDiskSettings {
    @Described(
        value = "Number of the LUN, 0 to 16383. Default: the lowest free number",
        example = "0")
    Optional<Integer> lun();

    @Described(
        "Format of the disk: 'auto' detects it by magic numbers; raw or qcow2 accepts only"
            + " that")
    @WithDefault("auto")
    String format();

    @Described(
        "'write-exclusive': one initiator; 'write-shared': any number, reading and writing;"
            + " 'read-shared': any number, reading")
    @WithDefault("write-exclusive")
    AccessMode accessMode();

    @Described(
        "Where writes go: 'none' (as if to the image; only one writable LUN of the"
            + " image), 'copy-on-write' or 'copy-on-read' (to an overlay), or 'clone' (to a"
            + " full copy)")
    @WithDefault("none")
    CopyMode copyMode();

    @Described(
        value =
            "Initiators that see the LUN: iSCSI names and networks (10.0.0.0/8),"
                + " separated by commas. An initiator must match one of the names, if there"
                + " are any, and one of the networks, if there are any. Default: all",
        example = "iqn.1994-05.com.redhat:node-1,10.0.0.0/8")
    Optional<List<String>> initiators();

    @Described(value = "The CHAP name that the LUN requires of initiators", example = "vm")
    Optional<String> chapUser();

    @Described(
        value =
            "File with the secret of the CHAP name (at least 12 bytes), such as a mounted"
                + " Secret",
        example = "/etc/chap/secret",
        secret = true)
    Optional<Path> chapSecretFile();
  }

  /// The settings for mutual CHAP.
  interface Mutual {
    @Described(value = "The target's own CHAP name, for mutual CHAP", example = "target")
    Optional<String> user();

    @Described(
        value = "File with the target's own secret, which must differ from the initiators'",
        example = "/etc/chap/own-secret",
        secret = true)
    Optional<Path> secretFile();
  }

  /// The authentication for a LUN that has neither a CHAP user nor a list of initiators: `NONE`
  /// lets every initiator use the LUN.
  enum Auth {
    NONE
  }

  /// The part of the image that must be present before a LUN counts as ready.
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

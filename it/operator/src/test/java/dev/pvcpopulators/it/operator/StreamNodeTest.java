package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.guest.Guest;
import io.fabric8.kubernetes.api.model.ISCSIPersistentVolumeSource;
import io.fabric8.kubernetes.api.model.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Uses the volume of a stream in a guest. The guest has the iSCSI initiator of Linux, and runs the
/// same commands as a kubelet that attaches a volume (`pkg/volume/iscsi/iscsi_util.go` of
/// Kubernetes 1.20). The guest knows only the volume's fields and Secret.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
final class StreamNodeTest {
  private static final String READING = "reading";

  /// `set_discovery` and `set_node` each set one field of iscsiadm's records.
  private static final String FUNCTIONS =
      """
      discovery() { iscsiadm -m discoverydb -t sendtargets -p $portal -I default "$@"; }
      node() { iscsiadm -m node -p $portal -T $target -I default "$@"; }
      set_discovery() { discovery -o update -n $1 -v $2; }
      set_node() { node -o update -n $1 -v $2; }
      login() { node --login; until [ -b /dev/sda ]; do usleep 20000; done; }
      logout() { node --logout; while [ -b /dev/sda ]; do usleep 20000; done; }
      """;

  private static final String USE =
      """
      [ "$(ls /sys/block/sda/device/scsi_device)" = "$(ls /sys/class/scsi_device)" ]
      ls /sys/class/scsi_device | grep ":$lun\\$"
      mkfs.ext4 -q /dev/sda
      mount /dev/sda /mnt
      dd if=/dev/urandom of=/mnt/file bs=1M count=4
      sum=$(sha256sum </mnt/file)
      umount /mnt
      logout
      login
      e2fsck -fn /dev/sda
      mount -o ro /dev/sda /mnt
      [ "$(sha256sum </mnt/file)" = "$sum" ]
      umount /mnt
      """;

  /// Reads without the page cache until a read fails. The initiator tries to recover the session
  /// for 5 s, and then a read fails.
  private static final String READ_UNTIL_THE_END =
      """
      logout
      set_node node.session.timeo.replacement_timeout 5
      login
      dd if=/dev/sda of=/tmp/before bs=1M count=4 iflag=direct
      echo reading
      while dd if=/dev/sda of=/tmp/now bs=1M count=4 iflag=direct; do
        cmp /tmp/before /tmp/now || { echo 'a read returned other data'; exit 1; }
      done 2>/dev/null
      echo 'a read failed'
      cat /tmp/iscsid.log
      grep -i 'requests logout' /tmp/iscsid.log
      """;

  @Test
  void linuxUsesTheDiskUntilItsClaimIsDeleted(Cluster cluster, @TempDir Path work)
      throws IOException, InterruptedException {
    Tenant tenant = Tenant.in(cluster, "stream-node");
    tenant.image(cluster.images().spec("disk:1"));
    StreamClaim claim = StreamClaim.create(tenant, Tenant.CLAIM, "ReadWriteOnce", "16Mi");
    try (ServiceAddresses _ = ServiceAddresses.of(tenant)) {
      claim.awaitBound();
      Dynamic stream = claim.stream();
      try (Guest guest = Guest.initiator(work, script(claim))) {
        guest.await(READING);
        claim.delete();
        guest.ok();
      }
      stream.awaitGone();
    }
  }

  private static String script(StreamClaim claim) {
    ISCSIPersistentVolumeSource iscsi = claim.volume().getSpec().getIscsi();
    Map<String, String> discovery = new TreeMap<>();
    Map<String, String> session = new TreeMap<>();
    if (iscsi.getChapAuthDiscovery()) {
      discovery.put("discovery.sendtargets.auth.authmethod", "CHAP");
      discovery.putAll(values(claim, "discovery.sendtargets.auth."));
    }
    if (iscsi.getChapAuthSession()) {
      session.put("node.session.auth.authmethod", "CHAP");
      session.putAll(values(claim, "node.session.auth."));
    }
    return String.join(
        "\n",
        "portal=" + iscsi.getTargetPortal(),
        "target=" + iscsi.getIqn(),
        "lun=" + iscsi.getLun(),
        FUNCTIONS,
        "discovery -o new",
        "if discovery --discover; then echo 'discovered without the Secret'; exit 1; fi",
        commands("set_discovery", discovery),
        "discovery --discover",
        "if node --login; then echo 'logged in without the Secret'; exit 1; fi",
        commands("set_node", session),
        "login",
        "set_node node.startup manual",
        USE,
        READ_UNTIL_THE_END);
  }

  private static String commands(String function, Map<String, String> values) {
    StringBuilder commands = new StringBuilder();
    values.forEach(
        (name, value) -> commands.append("%s %s '%s'\n".formatted(function, name, value)));
    return commands.toString();
  }

  /// Returns the data of the volume's Secret, reduced to the keys with this prefix.
  private static Map<String, String> values(StreamClaim claim, String prefix) {
    var reference = claim.volume().getSpec().getIscsi().getSecretRef();
    Secret secret =
        claim
            .tenant()
            .client()
            .secrets()
            .inNamespace(reference.getNamespace())
            .withName(reference.getName())
            .require();
    Map<String, String> values = new TreeMap<>();
    secret
        .getData()
        .forEach((name, value) -> {
          if (name.startsWith(prefix)) {
            values.put(name, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8));
          }
        });
    return values;
  }
}

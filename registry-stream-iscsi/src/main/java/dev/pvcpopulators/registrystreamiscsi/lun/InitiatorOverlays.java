package dev.pvcpopulators.registrystreamiscsi.lun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.registrystreamiscsi.storage.Reason;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jboss.logging.Logger;

/// The overlays of a LUN whose initiators each have their own overlay. Records which overlays exist
/// in the LUN's directory, and the network from which each overlay was first requested. Initiator
/// names are not authenticated, so there are at most [#MOST] overlays, and at most
/// [#MOST_OF_A_NETWORK] overlays for one IPv4 address or one IPv6 /64 network. (One host can use
/// every address of a /64 network.) Not thread-safe.
///
/// Overlays that an older version of the service created have no recorded network, and count
/// towards [#MOST] only.
public final class InitiatorOverlays {
  /// The maximum number of overlays. A limit is needed, because each overlay has open files and
  /// uses disk space.
  static final int MOST = 256;

  public static final int MOST_OF_A_NETWORK = 64;

  private static final Logger LOG = Logger.getLogger(InitiatorOverlays.class);
  private static final String RECORD = "initiator.json";
  private static final String NETWORK = "network";
  private static final int NETWORK_OF_IPV6 = 8;

  private final int lun;
  private final Path home;

  /// The network of each overlay, by the name of the overlay's directory; empty if not known.
  private final Map<String, String> networks = new HashMap<>();

  private InitiatorOverlays(int lun, Path home) {
    this.lun = lun;
    this.home = home;
  }

  /// Reads the overlays in the LUN's directory. Removes overlays without data, because their
  /// initiators find the same content in a new overlay.
  ///
  /// @param home the LUN's directory
  static InitiatorOverlays open(int lun, Path home) throws IOException {
    InitiatorOverlays overlays = new InitiatorOverlays(lun, home);
    for (Path each : LunDirectory.ofInitiators(home)) {
      String name = each.getFileName().toString();
      if (LunDirectory.isUnwritten(each)) {
        Documents.remove(each);
      } else {
        overlays.networks.put(name, noted(each));
      }
    }
    return overlays;
  }

  private static String noted(Path directory) {
    Path record = directory.resolve(RECORD);
    if (!Files.exists(record, LinkOption.NOFOLLOW_LINKS)) {
      return "";
    }
    try {
      return Documents.read(record).path(NETWORK).asText();
    } catch (IOException e) {
      LOG.warnf("The overlay is counted without an address: file=%s: %s", record, Reason.of(e));
      return "";
    }
  }

  /// Reserves an initiator's overlay; does nothing if it exists.
  ///
  /// @param name the name of the overlay's directory
  /// @throws IllegalStateException if there are too many overlays
  void take(String name, InetAddress address) throws IOException {
    if (networks.containsKey(name)) {
      return;
    }
    if (networks.size() >= MOST) {
      throw new IllegalStateException(
          "LUN " + lun + " has overlays of " + MOST + " initiators already");
    }
    String network = network(address);
    long same = networks.values().stream().filter(network::equals).count();
    if (same >= MOST_OF_A_NETWORK) {
      throw new IllegalStateException(
          "LUN %s has overlays of %s initiators of the address %s already"
              .formatted(lun, MOST_OF_A_NETWORK, network));
    }
    Documents.write(
        LunDirectory.ofInitiator(home, name),
        RECORD,
        JsonNodeFactory.instance.objectNode().put(NETWORK, network));
    networks.put(name, network);
  }

  /// Removes an overlay if it has no data. The overlay's files must be closed. A failure is only
  /// logged.
  void remove(String name) {
    try {
      Path directory = LunDirectory.ofInitiator(home, name);
      if (LunDirectory.isUnwritten(directory)) {
        Documents.remove(directory);
        networks.remove(name);
      }
    } catch (IOException e) {
      LOG.warnf("An empty overlay was not removed: lun=%d: %s", lun, Reason.of(e));
    }
  }

  private static String network(InetAddress address) throws UnknownHostException {
    if (!(address instanceof Inet6Address)) {
      return address.getHostAddress();
    }
    byte[] network = Arrays.copyOf(address.getAddress(), NETWORK_OF_IPV6);
    return InetAddress.getByAddress(Arrays.copyOf(network, address.getAddress().length))
        .getHostAddress();
  }
}

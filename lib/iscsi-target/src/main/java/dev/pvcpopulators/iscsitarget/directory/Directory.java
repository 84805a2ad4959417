package dev.pvcpopulators.iscsitarget.directory;

import dev.pvcpopulators.iscsitarget.login.AccessControl;
import dev.pvcpopulators.iscsitarget.login.TargetDirectory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/// The targets of a server, with the addresses that the server reports on one connection. Each
/// target is reported with all addresses in `advertised`. If `advertised` is empty, each target is
/// reported with all addresses in `portals`. In this case, the IP address of `local` replaces each
/// wildcard IP address in `portals`; the port stays the same.
///
/// @param local the local address of the connection: the address to which the initiator connected
public record Directory(
    Targets targets,
    List<String> advertised,
    List<InetSocketAddress> portals,
    InetSocketAddress local)
    implements TargetDirectory {
  @Override
  public Optional<AccessControl> target(String name) {
    return targets.find(name).map(Target::access);
  }

  @Override
  public AccessControl discovery(String initiatorName, InetAddress address) {
    return new DiscoveryAccess(
        targets.all().stream()
            .map(Target::access)
            .filter(access -> access.admits(initiatorName, address))
            .toList());
  }

  @Override
  public List<Listing> listings(String initiatorName, InetAddress address) {
    List<String> addresses =
        advertised.isEmpty()
            ? portals.stream().map(this::reachable).distinct().toList()
            : advertised;
    return targets.all().stream()
        .filter(target -> target.access().admits(initiatorName, address))
        .map(target -> new Listing(target.name(), addresses))
        .toList();
  }

  private String reachable(InetSocketAddress portal) {
    InetAddress address =
        portal.getAddress().isAnyLocalAddress() ? local.getAddress() : portal.getAddress();
    String host = address.getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + portal.getPort();
  }
}

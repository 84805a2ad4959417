package dev.pvcpopulators.iscsitarget.scsi;

import java.net.InetAddress;
import java.util.Optional;

/// An I_T nexus: one initiator port that is logged in to one target port (SAM-5, section 4.7.2).
/// There is one [Nexus] object for each session. To compare sessions, compare the identity of the
/// objects; to compare ports, compare [#port].
public final class Nexus {
  private final InitiatorPort port;
  private final InetAddress address;
  private final Optional<String> user;

  /// Creates the nexus of a new session.
  ///
  /// @param port the initiator's name and ISID
  /// @param address the initiator's address on the leading connection
  /// @param user the CHAP name with which the initiator authenticated; empty if the initiator did
  ///   not authenticate
  public Nexus(InitiatorPort port, InetAddress address, Optional<String> user) {
    this.port = port;
    this.address = address;
    this.user = user;
  }

  public InitiatorPort port() {
    return port;
  }

  public InetAddress address() {
    return address;
  }

  public Optional<String> user() {
    return user;
  }

  /// The relative target port identifier (SPC-4). All portals form one portal group, so there is
  /// only one target port.
  public static final int RELATIVE_TARGET_PORT = 1;

  @Override
  public String toString() {
    return port.toString();
  }
}

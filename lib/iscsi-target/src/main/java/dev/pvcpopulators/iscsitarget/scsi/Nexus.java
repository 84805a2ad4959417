package dev.pvcpopulators.iscsitarget.scsi;

import java.net.InetAddress;
import java.util.Optional;

/// An I_T nexus: one initiator port that is logged in to one target port (SAM-5, section 4.7.2).
/// One object a session; sessions are told apart by identity, ports by [#port].
public final class Nexus {
  private final InitiatorPort port;
  private final InetAddress address;
  private final Optional<String> user;

  /// @param port the initiator's name and session identifier
  /// @param address where its leading connection comes from
  /// @param user the CHAP name that it proved to have, empty where nothing was asked of it
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

  /// All our portals are one portal group, so there is one target port (SPC-4, "relative target
  /// port identifier").
  public static final int RELATIVE_TARGET_PORT = 1;

  @Override
  public String toString() {
    return port.toString();
  }
}

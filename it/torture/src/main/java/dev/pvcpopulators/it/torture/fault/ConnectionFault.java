package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Valve;
import java.io.IOException;

/// A fault of the connection that transfers the disk. Through this connection, a client uploads the
/// disk, or the service reads the disk from a server. [#CLIENT_GONE] is the only fault of another
/// connection.
public enum ConnectionFault implements Fault {
  /// The connection is reset (RST).
  RESET,
  /// The connection is closed (FIN) before all data has arrived.
  ORDERLY_END,
  /// The direction of the data is closed (FIN) before all data has arrived. The other direction
  /// stays open.
  HALF_CLOSED,
  /// No more bytes arrive: the peer has vanished without a FIN.
  VANISHED,
  /// The client that waits for the job disconnects; the disk continues to arrive.
  CLIENT_GONE,
  /// The rest of the data arrives slowly.
  SLOW_PEER;

  @Override
  public void strike(FaultContext scene) throws IOException {
    switch (this) {
      case RESET -> scene.wire().cut(Valve.Cut.RESET, scene.refusals());
      case ORDERLY_END -> scene.wire().cut(Valve.Cut.ORDERLY, scene.refusals());
      case HALF_CLOSED -> scene.wire().cut(Valve.Cut.HALF, scene.refusals());
      case VANISHED -> scene.wire().cut(Valve.Cut.VANISH, scene.refusals());
      case CLIENT_GONE -> {
        scene.attempt().vanish();
        scene.wire().open();
      }
      case SLOW_PEER -> {
        scene.wire().open();
        scene.wire().rate(scene.slowRate());
      }
    }
  }

  @Override
  public void heal(FaultContext scene) {
    scene.wire().open();
  }
}

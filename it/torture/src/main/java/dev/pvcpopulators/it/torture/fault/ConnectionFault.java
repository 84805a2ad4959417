package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Valve;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/// The connection that transfers the disk fails: that of the uploading client, or that of the
/// registry.
public enum ConnectionFault implements Fault {
  /// The connection is reset.
  RESET {
    @Override
    public void strike(FaultContext scene) {
      scene.wire().cut(Valve.Cut.RESET, scene.refusals());
    }
  },
  /// The connection is closed in an orderly way, but too early.
  ORDERLY_END {
    @Override
    public void strike(FaultContext scene) {
      scene.wire().cut(Valve.Cut.ORDERLY, scene.refusals());
    }
  },
  /// The direction of the data is closed in an orderly way; the other direction stays open.
  HALF_CLOSED {
    @Override
    public void strike(FaultContext scene) {
      scene.wire().cut(Valve.Cut.HALF, scene.refusals());
    }
  },
  /// No more bytes arrive: the peer has vanished without a FIN.
  VANISHED {
    @Override
    public void strike(FaultContext scene) {
      scene.wire().cut(Valve.Cut.VANISH, scene.refusals());
    }
  },
  /// The client that waits for the job disconnects; the disk continues to arrive.
  CLIENT_GONE {
    @Override
    public void strike(FaultContext scene) throws IOException {
      scene.attempt().vanish();
      scene.wire().open();
    }
  },
  /// The rest of the data arrives slowly.
  SLOW_PEER {
    @Override
    public void strike(FaultContext scene) {
      scene.wire().open();
      scene.wire().rate(scene.slowRate());
    }
  };

  @Override
  public boolean wantsOwnProcess() {
    return false;
  }

  @Override
  public Launch prepare(Launch launch, Path volume) {
    return launch;
  }

  @Override
  public void arm(FaultContext scene) {}

  @Override
  public void heal(FaultContext scene) {
    scene.wire().open();
  }

  @Override
  public Set<Integer> exits() {
    return Set.of();
  }

  @Override
  public boolean explainsErrors() {
    return false;
  }
}

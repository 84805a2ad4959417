package dev.pvcpopulators.it.operator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An operator behind a [FaultProxy], started again whenever it is killed, as a kubelet does.
final class RestartedOperator implements AutoCloseable {
  private final Cluster cluster;
  private final FaultProxy proxy;
  private @Nullable OperatorProcess operator;
  private int starts;

  private RestartedOperator(Cluster cluster, FaultProxy.Faults faults) throws IOException {
    this.cluster = cluster;
    this.proxy = FaultProxy.start(cluster.plane(), faults, this::kill);
  }

  /// Starts one. It never reports that it is ready: fabric8's client counts a watch by a plain
  /// request, which is all that the proxy serves, as none.
  static RestartedOperator start(Cluster cluster, FaultProxy.Faults faults) throws IOException {
    RestartedOperator restarted = new RestartedOperator(cluster, faults);
    restarted.begin();
    return restarted;
  }

  private synchronized void begin() throws IOException {
    starts++;
    operator = cluster.startOperator(proxy.address(), Map.of());
  }

  /// SIGKILL, and a new one.
  private synchronized void kill() {
    try {
      if (operator != null) {
        operator.close();
        begin();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// How often one was started.
  synchronized int starts() {
    return starts;
  }

  @Override
  public synchronized void close() {
    if (operator != null) {
      operator.close();
      operator = null;
    }
    proxy.close();
  }
}

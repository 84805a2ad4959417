package dev.pvcpopulators.it.operator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An operator that uses the API server through a [FaultProxy]. After each end of the operator,
/// this class starts a new operator, as a kubelet does.
final class RestartedOperator implements AutoCloseable {
  private final Cluster cluster;
  private final FaultProxy proxy;
  private @Nullable OperatorProcess operator;
  private int starts;

  private RestartedOperator(Cluster cluster, FaultProxy.Faults faults) throws IOException {
    this.cluster = cluster;
    this.proxy = FaultProxy.start(cluster.plane(), faults, this::kill);
  }

  /// Starts an operator. The operator never reports that it is ready, because the proxy refuses
  /// WebSockets, and fabric8's client does not count plain HTTP requests as watches.
  static RestartedOperator start(Cluster cluster, FaultProxy.Faults faults) throws IOException {
    RestartedOperator restarted = new RestartedOperator(cluster, faults);
    restarted.begin();
    return restarted;
  }

  private synchronized void begin() throws IOException {
    starts++;
    OperatorProcess started = cluster.startOperator(proxy.address(), Map.of());
    operator = started;
    started.whenEnded(() -> ended(started));
  }

  /// Starts a new operator if the current operator has ended by itself. An operator exits if the
  /// API server does not answer the first lists of its watches in time.
  private synchronized void ended(OperatorProcess which) {
    if (operator == which) {
      System.out.println("The operator ended by itself, and is started again");
      kill();
    }
  }

  /// Kills the operator with SIGKILL, and starts a new operator.
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

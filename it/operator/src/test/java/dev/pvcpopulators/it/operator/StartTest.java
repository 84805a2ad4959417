package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Prints the time that the packaged operator needs from its start until it is ready. The operator
/// is ready when its watches are synchronized with the cluster.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class StartTest {
  private static final int STARTS = 5;

  @Test
  void isReadyAfterEachStart(Cluster cluster) throws IOException, InterruptedException {
    int before = cluster.audit().requests().size();
    List<Long> millis = new ArrayList<>();
    for (int start = 0; start < STARTS; start++) {
      cluster.stopOperator();
      long began = System.nanoTime();
      cluster.startOperator();
      millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    }
    List<Audit.Request> requests = cluster.audit().requests();
    System.out.printf(
        "Start to ready: %s, %.1f lists a start%n",
        summary(millis),
        requests.subList(before, requests.size()).stream()
                .filter(request -> request.verb().equals("list"))
                .count()
            / (double) STARTS);
    assertTrue(cluster.operator().alive());
  }

  /// Starts the operator with leader election, as its manifests do. At each start after the first,
  /// the killed replica still holds the Lease.
  @Test
  void isReadyWithLeaderElection(Cluster cluster) throws IOException, InterruptedException {
    List<Long> millis = new ArrayList<>();
    cluster.stopOperator();
    try {
      for (int start = 0; start < STARTS; start++) {
        long began = System.nanoTime();
        try (OperatorProcess replica =
            cluster.startOperator(
                cluster.plane().address(), Map.of("OPERATOR_LEADER_ELECTION", "true"))) {
          replica.awaitReady();
          millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        }
      }
    } finally {
      cluster.startOperator();
    }
    System.out.printf("Start to ready with leader election: %s%n", summary(millis));
  }

  private static String summary(List<Long> millis) {
    Collections.sort(millis);
    return "%d ms, at best %d ms, at worst %d ms"
        .formatted(millis.get(STARTS / 2), millis.getFirst(), millis.getLast());
  }
}

package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Prints the time from the start of the packaged operator's process until it is ready: its watches
/// are synchronized with the cluster.
@Tag("nightly")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class StartTest {
  private static final int STARTS = 5;

  @Test
  void isReadyAfterEachStart(Cluster cluster) throws IOException, InterruptedException {
    List<Long> millis = new ArrayList<>();
    for (int start = 0; start < STARTS; start++) {
      cluster.stopOperator();
      long began = System.nanoTime();
      cluster.startOperator();
      millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
    }
    Collections.sort(millis);
    System.out.printf(
        "Start to ready: %d ms, at best %d ms, at worst %d ms%n",
        millis.get(STARTS / 2), millis.getFirst(), millis.getLast());
    assertTrue(cluster.operator().alive());
  }
}

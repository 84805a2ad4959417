package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.fail;

import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.operator.DeletedDisk.Point;
import dev.pvcpopulators.it.operator.Deletion.Subject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Deletes an object of a published network disk or of a stream: the DynamicVolume, the claim, its
/// PersistentVolume, the pod, the Deployment or the namespace. Each round deletes one object at one
/// of the operator's writes, and kills the operator at this write. After the deletion of a
/// published disk's DynamicVolume, of a stream's claim, or of the namespace, all objects of the
/// disk must be removed. After any other deletion, the disk must become usable again. Objects that
/// the operator did not create must remain, unless the round deletes the namespace.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class DeletionsTest {
  private static final int AT_ONCE = Integer.getInteger("rounds.at-once", 4);

  private final Map<String, Deletion> rounds = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

  /// All deletions take ten minutes on two idle cores.
  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void leavesNothingAndRemovesNothingOfOthers(Cluster cluster)
      throws IOException, InterruptedException {
    Seed seed = Seed.of("DeletionsTest");
    List<Deletion> all = deletions(cluster, seed);
    cluster.stopOperator();
    try (RestartedOperator operator =
        RestartedOperator.start(
            cluster,
            write -> {
              Deletion round = rounds.get(write.namespace());
              return round == null ? new FaultProxy.Fault.None() : round.at(write);
            })) {
      for (int first = 0; first < all.size() && failures.isEmpty(); first += AT_ONCE) {
        List<Deletion> batch = all.subList(first, Math.min(all.size(), first + AT_ONCE));
        batch.forEach(round -> rounds.put(round.namespace(), round));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
          batch.forEach(round -> threads.execute(() -> run(round)));
        }
        if (!failures.isEmpty()) {
          // The test collects the evidence now, because the test deletes the objects later.
          StringBuilder evidence = new StringBuilder(cluster.evidence());
          for (Deletion round : batch) {
            evidence.append('\n').append(cluster.evidence(round.namespace()));
          }
          Files.writeString(Path.of("target", "evidence-deletions.txt"), evidence);
        }
        batch.forEach(Deletion::clear);
        System.out.printf(
            "Deletions: %d of %d done, %d starts%n",
            first + batch.size(), all.size(), operator.starts());
      }
    } finally {
      cluster.startOperator();
    }
    if (!failures.isEmpty()) {
      fail("-Dit.seed=%d: %s".formatted(seed.value(), String.join("\n", failures)));
    }
  }

  /// Returns the rounds. In `make nightly`, the rounds delete each object at each write. Otherwise,
  /// there is one random round for each kind of disk.
  private static List<Deletion> deletions(Cluster cluster, Seed seed) {
    List<Deletion> published = new ArrayList<>();
    List<Deletion> streamed = new ArrayList<>();
    for (Subject subject : Subject.values()) {
      for (Point point : PublishedDisk.Writes.values()) {
        Random random = seed.random((subject + " " + point).hashCode());
        published.add(
            new Deletion(cluster, "published", PublishedDisk::new, subject, point, random));
      }
      for (Point point : StreamedDisk.Writes.values()) {
        Random random = seed.random((subject + " streamed " + point).hashCode());
        streamed.add(new Deletion(cluster, "streamed", StreamedDisk::new, subject, point, random));
      }
    }
    Random order = seed.random();
    Collections.shuffle(published, order);
    Collections.shuffle(streamed, order);
    List<Deletion> all = new ArrayList<>();
    Rounds.oneOf(published.size(), published).forEach(all::add);
    Rounds.oneOf(streamed.size(), streamed).forEach(all::add);
    Collections.shuffle(all, order);
    return all;
  }

  private void run(Deletion round) {
    long began = System.nanoTime();
    try {
      round.run();
      System.out.printf(
          "%s: well after %d s%n",
          round, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
    } catch (InterruptedException | RuntimeException | AssertionError e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      System.out.println(round + ": " + trace);
      failures.add(round + ": " + e.getMessage() + "; " + round.state());
    }
  }
}

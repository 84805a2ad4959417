package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.fail;

import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.operator.Round.Mishap;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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

/// Runs several rounds at the same time. Each round has one kind of fault at the operator's writes.
/// At the end, there must be no orphaned object, and no claim may have a finalizer of the operator.
/// A claim must never be bound to an incomplete volume. `-Drounds=500` sets the number of rounds.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@ResourceLock(SharedCluster.OPERATOR)
final class RoundsTest {
  private static final int ROUNDS = Integer.getInteger("rounds", Rounds.of(5, 500));
  private static final int AT_ONCE = Integer.getInteger("rounds.at-once", Rounds.of(5, 10));

  private static final int MOST_TEXT = 200;

  private final Map<String, Round> rounds = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

  /// 500 rounds take half an hour on two idle cores.
  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void endsConsistentlyAfterEveryFault(Cluster cluster) throws IOException, InterruptedException {
    Seed seed = Seed.of("RoundsTest");
    List<Mishap> mishaps = new ArrayList<>(List.of(Mishap.values()));
    Collections.shuffle(mishaps, seed.random());
    cluster.stopOperator();
    try (ExecutorService comparisons = Executors.newSingleThreadExecutor();
        SharedIndexInformer<PersistentVolumeClaim> _ =
            cluster
                .client()
                .persistentVolumeClaims()
                .inAnyNamespace()
                .inform(whenBound(comparisons));
        RestartedOperator operator =
            RestartedOperator.start(
                cluster,
                write -> {
                  Round round = rounds.get(write.namespace());
                  return round == null ? new FaultProxy.Fault.None() : round.at(write);
                })) {
      for (int first = 0; first < ROUNDS && failures.isEmpty(); first += AT_ONCE) {
        int last = Math.min(ROUNDS, first + AT_ONCE);
        run(cluster, seed, mishaps, first, last);
        System.out.printf("Rounds: %d done, %d starts%n", last, operator.starts());
      }
    } finally {
      cluster.startOperator();
    }
    if (!failures.isEmpty()) {
      fail("-Dit.seed=%d: %s".formatted(seed.value(), String.join("\n", failures)));
    }
  }

  /// Runs the rounds of a batch at the same time. Consecutive rounds have different kinds of
  /// faults.
  private void run(Cluster cluster, Seed seed, List<Mishap> mishaps, int first, int last)
      throws InterruptedException, IOException {
    List<Round> batch = new ArrayList<>();
    for (int number = first; number < last; number++) {
      Mishap mishap = mishaps.get(number % mishaps.size());
      Round round = new Round(cluster, number, mishap, seed.random(number));
      rounds.put(round.namespace(), round);
      batch.add(round);
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      batch.forEach(round -> threads.execute(() -> run(round)));
    }
    if (!failures.isEmpty()) {
      Files.writeString(Path.of("target", "evidence-rounds.txt"), cluster.evidence());
    }
    batch.forEach(Round::clear);
  }

  private void run(Round round) {
    long began = System.nanoTime();
    try {
      round.begin();
      round.end();
      System.out.printf(
          "%s: well after %d s%n",
          round, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      System.out.println(round + ": " + trace);
      // The message of a failure is short, because logs may keep only its first lines.
      failures.add(round + ": " + first(e) + "; " + state(round));
    }
  }

  private static String first(Throwable failure) {
    String text = String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
    return text.substring(0, Math.min(text.length(), MOST_TEXT));
  }

  private static String state(Round round) {
    try {
      return round.state();
    } catch (KubernetesClientException e) {
      return first(e);
    }
  }

  private ResourceEventHandler<PersistentVolumeClaim> whenBound(ExecutorService comparisons) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(PersistentVolumeClaim claim) {}

      @Override
      public void onUpdate(PersistentVolumeClaim before, PersistentVolumeClaim claim) {
        Round round = rounds.get(claim.getMetadata().getNamespace());
        if (round != null
            && claim.getMetadata().getName().equals(Tenant.CLAIM)
            && "Bound".equals(claim.getStatus().getPhase())
            && !"Bound".equals(before.getStatus().getPhase())) {
          comparisons.execute(() -> compare(round, claim));
        }
      }

      @Override
      public void onDelete(PersistentVolumeClaim claim, boolean unknown) {}
    };
  }

  private void compare(Round round, PersistentVolumeClaim claim) {
    try {
      String wrong = round.whenBound(claim);
      if (!wrong.isEmpty()) {
        failures.add(wrong);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

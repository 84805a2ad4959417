package dev.pvcpopulators.operator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.child.Tokens;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Checks which calls start a follower of a pod.
final class FollowersTest {
  private static final int STATUS_PORT = 8080;

  private final PersistentVolumeClaim claim =
      new PersistentVolumeClaimBuilder()
          .withNewMetadata()
          .withNamespace("vms")
          .withName("disk")
          .withUid("c1")
          .endMetadata()
          .build();
  private final Pod pod =
      new PodBuilder()
          .withNewMetadata()
          .withUid("p1")
          .endMetadata()
          .withNewStatus()
          .withPodIP("127.0.0.1")
          .endStatus()
          .build();

  /// The second call of `follow` comes before the first follower ends. If `Followers` ignored this
  /// call, the reported progress would not change until the next event.
  @Test
  void aCallBeforeTheEndOfAFollowerIsNotLost() throws InterruptedException {
    DiskPopulation population = population();
    try (KubernetesClient client =
        new KubernetesClientBuilder().withConfig(Config.empty()).build()) {
      Clock clock = Clock.systemUTC();
      Followers followers =
          new Followers(
              client,
              Optional.of(STATUS_PORT),
              new Tokens(new byte[32]),
              new Events(client, clock));
      CountDownLatch lookUps = new CountDownLatch(2);
      followers.lookUp(_ -> {
        if (lookUps.getCount() == 2) {
          followers.follow(claim, population, pod);
        }
        lookUps.countDown();
        return null;
      });
      followers.follow(claim, population, pod);
      assertTrue(lookUps.await(5, TimeUnit.MINUTES), "the second call had no effect");
    }
  }

  private static DiskPopulation population() {
    DiskPopulation population = new DiskPopulation();
    population.getMetadata().setUid("d1");
    population.setSpec(
        new DiskPopulationSpec(
            "c1", "fedora", new DiskImageSpec(null, null, null, null, null, null, null, null)));
    return population;
  }
}

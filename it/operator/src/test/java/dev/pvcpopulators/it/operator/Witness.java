package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.TypedLocalObjectReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/// Watches all claims and their children, and records violations of these invariants:
///
/// - no claim of a user has a finalizer of the operator;
/// - each child is created with its claim as controller;
/// - after the rebind, PVC′ is not deleted before PVC′ has the phase Lost.
final class Witness implements AutoCloseable {
  private static final String GROUP = "pvcpopulators.dev";
  private static final String CHILD = GROUP + "/population";
  private static final String LOST = "Lost";

  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
  private final ConcurrentLinkedQueue<String> forbidden = new ConcurrentLinkedQueue<>();
  private final SharedIndexInformer<PersistentVolumeClaim> claims;

  private Witness(KubernetesClient client) {
    claims =
        client
            .persistentVolumeClaims()
            .inAnyNamespace()
            .inform(handler(this::claimAdded, this::claim));
    informers.add(claims);
    informers.add(
        client.batch().v1().jobs().inAnyNamespace().withLabel(CHILD).inform(added(this::child)));
    informers.add(client.secrets().inAnyNamespace().withLabel(CHILD).inform(added(this::child)));
    informers.add(client.services().inAnyNamespace().withLabel(CHILD).inform(added(this::child)));
    informers.add(
        client
            .genericKubernetesResources(Tenant.VERSION, "DiskPopulation")
            .inAnyNamespace()
            .inform(added((GenericKubernetesResource population) -> child(population))));
  }

  static Witness of(KubernetesClient client) {
    return new Witness(client);
  }

  private static <T> ResourceEventHandler<T> added(Consumer<? super T> action) {
    return handler(action, _ -> {});
  }

  private static <T> ResourceEventHandler<T> handler(
      Consumer<? super T> added, Consumer<? super T> changed) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(T object) {
        added.accept(object);
      }

      @Override
      public void onUpdate(T before, T object) {
        changed.accept(object);
      }

      @Override
      public void onDelete(T object, boolean unknown) {}
    };
  }

  private void claimAdded(PersistentVolumeClaim claim) {
    Map<String, String> labels = claim.getMetadata().getLabels();
    if (labels != null && labels.containsKey(CHILD)) {
      child(claim);
    }
    claim(claim);
  }

  private void claim(PersistentVolumeClaim claim) {
    TypedLocalObjectReference source = claim.getSpec().getDataSource();
    if (source != null && GROUP.equals(source.getApiGroup())) {
      claim.getMetadata().getFinalizers().stream()
          .filter(finalizer -> finalizer.contains(GROUP))
          .forEach(finalizer -> forbidden.add(name(claim) + " has finalizer " + finalizer));
    } else if (claim.getMetadata().getDeletionTimestamp() != null) {
      deleted(claim);
    }
  }

  /// Checks a PVC′ whose deletion has begun. If the user's claim already has the volume, the phase
  /// of PVC′ must be Lost.
  private void deleted(PersistentVolumeClaim prime) {
    String volume = prime.getSpec().getVolumeName();
    OwnerReference owner =
        prime.getMetadata().getOwnerReferences().stream().findFirst().orElse(null);
    if (owner == null || volume == null) {
      return;
    }
    PersistentVolumeClaim claim =
        claims.getStore().getByKey(prime.getMetadata().getNamespace() + "/" + owner.getName());
    if (claim != null
        && claim.getMetadata().getDeletionTimestamp() == null
        && claim.getMetadata().getUid().equals(owner.getUid())
        && volume.equals(claim.getSpec().getVolumeName())
        && !LOST.equals(prime.getStatus().getPhase())) {
      forbidden.add(name(prime) + " is deleted in phase " + prime.getStatus().getPhase());
    }
  }

  private void child(HasMetadata child) {
    boolean owned =
        child.getMetadata().getOwnerReferences().stream()
            .anyMatch(owner ->
                "PersistentVolumeClaim".equals(owner.getKind())
                    && Boolean.TRUE.equals(owner.getController())
                    && !Boolean.TRUE.equals(owner.getBlockOwnerDeletion()));
    if (!owned) {
      forbidden.add(child.getKind() + " " + name(child) + " has no claim as controller");
    }
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
  }

  void assertNothingForbidden() {
    assertEquals(List.of(), List.copyOf(forbidden));
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::close);
  }
}

package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.operator.api.DiskPopulation;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The observed state of the cluster and of a namespace, as far as it affects the filling of a
/// claim. A component is empty if the user has no right to read its objects; `unread` then names
/// their kind.
///
/// @param namespaceExists whether the API server has the namespace
/// @param kinds names of the resources that the API server serves in the API group of
///   pvc-populators
/// @param populators the VolumePopulators; empty if the cluster does not have this kind
/// @param operators Deployments of the operator
/// @param keepsSource whether the API server keeps the data source of a claim; empty if unknown
/// @param chosenClass name of the StorageClass that a new claim gets; empty if there is none, or if
///   it is unknown
/// @param events the events of the namespace
/// @param missingRights the rights that the user lacks, such as `create diskimages`
/// @param unread the kinds that the user has no right to read, such as `StorageClasses`
record Surroundings(
    String namespace,
    Optional<Boolean> namespaceExists,
    Set<String> kinds,
    Optional<List<GenericKubernetesResource>> populators,
    Optional<List<Deployment>> operators,
    Optional<Boolean> keepsSource,
    Optional<List<StorageClass>> classes,
    Optional<String> chosenClass,
    List<ResourceQuota> quotas,
    List<NetworkPolicy> policies,
    List<DiskPopulation> populations,
    List<Event> events,
    List<String> missingRights,
    List<String> unread) {
  Surroundings {
    kinds = Set.copyOf(kinds);
    quotas = List.copyOf(quotas);
    policies = List.copyOf(policies);
    populations = List.copyOf(populations);
    events = List.copyOf(events);
    missingRights = List.copyOf(missingRights);
    unread = List.copyOf(unread);
  }
}

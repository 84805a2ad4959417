package dev.pvcpopulators.operator.client;

import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;
import io.fabric8.kubernetes.api.model.PersistentVolumeStatus;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.ServiceSpec;
import io.fabric8.kubernetes.api.model.ServiceStatus;
import io.fabric8.kubernetes.api.model.apps.DeploymentSpec;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Limits the reading of large objects to the fields that the operator uses. Without this limit,
/// Jackson would examine the classes of all fields of pods and volumes before it reads the first
/// lists of these objects. In a profile of the start, this examination took a third of the time. In
/// addition, the watches would keep every object with all its fields. Writing is not restricted,
/// but an object that was read must not be written back as a whole, because it lacks the other
/// fields.
final class ReadFields extends BeanDeserializerModifier {
  private static final long serialVersionUID = 1L;

  private static final Map<Class<?>, Set<String>> READ =
      Map.ofEntries(
          // All fields except managedFields, which may be longer than the rest of the object.
          Map.entry(
              ObjectMeta.class,
              Set.of(
                  "annotations",
                  "creationTimestamp",
                  "deletionGracePeriodSeconds",
                  "deletionTimestamp",
                  "finalizers",
                  "generateName",
                  "generation",
                  "labels",
                  "name",
                  "namespace",
                  "ownerReferences",
                  "resourceVersion",
                  "selfLink",
                  "uid")),
          Map.entry(PodSpec.class, Set.of("nodeName")),
          Map.entry(PodStatus.class, Set.of("phase", "podIP", "conditions", "containerStatuses")),
          Map.entry(ContainerStatus.class, Set.of("name", "restartCount", "state")),
          Map.entry(JobSpec.class, Set.of("podFailurePolicy")),
          Map.entry(JobStatus.class, Set.of("conditions")),
          Map.entry(DeploymentSpec.class, Set.of()),
          Map.entry(DeploymentStatus.class, Set.of("conditions")),
          Map.entry(ServiceSpec.class, Set.of("clusterIP")),
          Map.entry(ServiceStatus.class, Set.of()),
          Map.entry(
              PersistentVolumeSpec.class,
              Set.of(
                  "accessModes",
                  "capacity",
                  "claimRef",
                  "iscsi",
                  "storageClassName",
                  "volumeAttributesClassName",
                  "volumeMode")),
          Map.entry(PersistentVolumeStatus.class, Set.of("phase")));

  private ReadFields() {}

  /// Returns a mapper. Of the fields that a class in [#READ] defines, the mapper reads only those
  /// that [#READ] lists.
  static ObjectMapper mapper() {
    return new ObjectMapper()
        .registerModule(new SimpleModule("read-fields").setDeserializerModifier(new ReadFields()));
  }

  @Override
  public List<BeanPropertyDefinition> updateProperties(
      DeserializationConfig config,
      BeanDescription described,
      List<BeanPropertyDefinition> properties) {
    Set<String> read = READ.get(described.getBeanClass());
    return read == null
        ? properties
        : properties.stream().filter(property -> read.contains(property.getName())).toList();
  }

  /// Ignores the fields that a class in [#READ] defines, but [#READ] does not list. Otherwise the
  /// object would keep these fields as additional properties.
  @Override
  public BeanDeserializerBuilder updateBuilder(
      DeserializationConfig config, BeanDescription described, BeanDeserializerBuilder builder) {
    Set<String> read = READ.get(described.getBeanClass());
    if (read != null) {
      described.findProperties().stream()
          .map(BeanPropertyDefinition::getName)
          .filter(name -> !read.contains(name))
          .forEach(builder::addIgnorable);
    }
    return builder;
  }
}

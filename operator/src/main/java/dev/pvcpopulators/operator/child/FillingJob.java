package dev.pvcpopulators.operator.child;

import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.api.PodTemplate;
import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.operator.status.PodResult;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.NodeSelectorTermBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicy;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Builds the Job that fills PVC′ (see [Prime]). The Job is like the Jobs in `kubernetes/base`, but
/// with the settings of the DiskImage.
public final class FillingJob {
  /// Port that receives an upload.
  public static final int UPLOAD_PORT = 8443;

  private static final String CONTAINER = "populator";
  private static final String VOLUME = "volume";

  /// The user ID of KubeVirt's processes, which must be able to open the files that the Job writes.
  private static final long USER = 107;

  private static final long ONE_DAY = 86_400;

  private final JobSettings settings;
  private final Tokens tokens;

  public FillingJob(JobSettings settings, Tokens tokens) {
    this.settings = settings;
    this.tokens = tokens;
  }

  /// Returns the Job of a claim.
  ///
  /// @param node the node on which the Job's pod must run; null for any node
  public Job of(PersistentVolumeClaim claim, DiskPopulation population, @Nullable String node) {
    DiskImageSpec image = population.getSpec().image();
    SourceContainer source = SourceContainer.of(claim, image);
    PodTemplate template = image.template();
    ObjectMetaBuilder metadata = Owner.child(claim, population, Claims.childName(claim));
    if (node != null) {
      metadata.addToAnnotations(Group.NODE, node);
    }
    return new JobBuilder()
        .withMetadata(metadata.build())
        .withNewSpec()
        .withBackoffLimit(image.retriesOrDefault())
        .withActiveDeadlineSeconds(
            image.upload() == null ? ONE_DAY : image.upload().lifetime().toSeconds())
        .withPodReplacementPolicy("Failed")
        .withPodFailurePolicy(policy())
        .withTemplate(
            new PodTemplateSpecBuilder()
                .withMetadata(podMetadata(claim, population, source, template))
                .withSpec(pod(claim, population, source, node))
                .build())
        .endSpec()
        .build();
  }

  private static io.fabric8.kubernetes.api.model.ObjectMeta podMetadata(
      PersistentVolumeClaim claim,
      DiskPopulation population,
      SourceContainer source,
      @Nullable PodTemplate template) {
    ObjectMetaBuilder metadata = new ObjectMetaBuilder();
    if (template != null) {
      metadata.withLabels(template.labels()).withAnnotations(template.annotations());
    }
    return metadata
        .addToLabels(Owner.LABELS)
        .addToLabels("app.kubernetes.io/name", source.service())
        .addToLabels("app.kubernetes.io/component", CONTAINER)
        .addToLabels(Group.POPULATION, population.getMetadata().getUid())
        .addToAnnotations(Group.CLAIM, claim.getMetadata().getName())
        .build();
  }

  private static PodFailurePolicy policy() {
    return new PodFailurePolicyBuilder()
        .addNewRule()
        .withAction("Ignore")
        .addNewOnPodCondition()
        .withType("DisruptionTarget")
        .withStatus("True")
        .endOnPodCondition()
        .endRule()
        .addNewRule()
        .withAction("FailJob")
        .withNewOnExitCodes()
        .withContainerName(CONTAINER)
        .withOperator("In")
        .withValues(PodResult.PERMANENT.stream().sorted().toList())
        .endOnExitCodes()
        .endRule()
        .build();
  }

  private PodSpec pod(
      PersistentVolumeClaim claim,
      DiskPopulation population,
      SourceContainer source,
      @Nullable String node) {
    PodSpecBuilder pod =
        new PodSpecBuilder()
            .withRestartPolicy("Never")
            .withAutomountServiceAccountToken(false)
            .withEnableServiceLinks(false)
            .withNewSecurityContext()
            .withRunAsNonRoot(true)
            .withRunAsUser(USER)
            .withRunAsGroup(USER)
            .withFsGroup(USER)
            .withFsGroupChangePolicy("OnRootMismatch")
            .withNewSeccompProfile()
            .withType("RuntimeDefault")
            .endSeccompProfile()
            .endSecurityContext()
            .withContainers(container(claim, population, source))
            .withVolumes(
                new VolumeBuilder()
                    .withName(VOLUME)
                    .withNewPersistentVolumeClaim()
                    .withClaimName(Claims.childName(claim))
                    .endPersistentVolumeClaim()
                    .build())
            .addAllToVolumes(source.volumes());
    PodTemplate template = population.getSpec().image().template();
    if (template != null) {
      pod.withNodeSelector(template.nodeSelector())
          .withAffinity(template.affinity())
          .withTolerations(template.tolerations())
          .withPriorityClassName(template.priorityClassName())
          .withServiceAccountName(template.serviceAccountName())
          .withImagePullSecrets(template.imagePullSecrets())
          .withRuntimeClassName(template.runtimeClassName());
    }
    return node == null ? pod.build() : pod.withAffinity(on(node, pod.buildAffinity())).build();
  }

  private Container container(
      PersistentVolumeClaim claim, DiskPopulation population, SourceContainer source) {
    boolean block = "Block".equals(claim.getSpec().getVolumeMode());
    ContainerBuilder container =
        new ContainerBuilder()
            .withName(CONTAINER)
            .withImage(settings.image(source.service()))
            .withImagePullPolicy(settings.pullPolicy())
            .withArgs("--once")
            .withEnv(environment(claim, population, source, block))
            .withTerminationMessagePolicy("FallbackToLogsOnError")
            .withNewSecurityContext()
            .withAllowPrivilegeEscalation(false)
            .withReadOnlyRootFilesystem(true)
            .withRunAsNonRoot(true)
            .withNewCapabilities()
            .withDrop("ALL")
            .endCapabilities()
            .endSecurityContext()
            .withResources(resources(population.getSpec().image()))
            .withVolumeMounts(source.mounts());
    if (population.getSpec().image().upload() != null) {
      container
          .addNewPort()
          .withName("https")
          .withContainerPort(UPLOAD_PORT)
          .withProtocol("TCP")
          .endPort();
    } else if (settings.statusPort().isPresent()) {
      container
          .addNewPort()
          .withName("status")
          .withContainerPort(settings.statusPort().get())
          .withProtocol("TCP")
          .endPort();
    }
    if (block) {
      container
          .addNewVolumeDevice()
          .withName(VOLUME)
          .withDevicePath("/dev/volume")
          .endVolumeDevice();
    } else {
      container.addNewVolumeMount().withName(VOLUME).withMountPath("/volume").endVolumeMount();
    }
    return container.build();
  }

  private List<EnvVar> environment(
      PersistentVolumeClaim claim,
      DiskPopulation population,
      SourceContainer source,
      boolean block) {
    Map<String, String> variables = settings.environment(source.prefix());
    variables.put("POPULATOR_CLAIM_NAME", claim.getMetadata().getName());
    // Only this Job uses PVC′, so the Job may overwrite the data of an interrupted attempt.
    variables.put("POPULATOR_OVERWRITE", "true");
    if (block) {
      variables.put("POPULATOR_TARGET", "/dev/volume");
    }
    if (Boolean.TRUE.equals(population.getSpec().image().expand())) {
      variables.put("POPULATOR_EXPAND", "true");
    }
    if (population.getSpec().image().upload() == null && settings.statusPort().isPresent()) {
      variables.put("POPULATOR_STATUS_PORT", settings.statusPort().get().toString());
      variables.put("POPULATOR_AUTH", "token");
      variables.put("POPULATOR_TOKEN", tokens.status(claim));
      // The status port has no certificate, so the token is sent in clear text. This token permits
      // only reading the status of one Job.
      variables.put("POPULATOR_HTTP_CLEARTEXT_TOKENS", "true");
    }
    variables.putAll(source.environment());
    List<EnvVar> list = new ArrayList<>();
    variables.forEach(
        (name, value) -> list.add(new EnvVarBuilder().withName(name).withValue(value).build()));
    return list;
  }

  private static ResourceRequirements resources(DiskImageSpec image) {
    PodTemplate template = image.template();
    if (template != null && template.resources() != null) {
      return template.resources();
    }
    ResourceRequirementsBuilder resources =
        new ResourceRequirementsBuilder()
            .addToRequests("cpu", new Quantity("250m"))
            .addToRequests("memory", new Quantity("192Mi"))
            .addToRequests("ephemeral-storage", new Quantity("32Mi"))
            .addToLimits("cpu", new Quantity("4"))
            .addToLimits("memory", new Quantity("384Mi"));
    // Layers in an emptyDir are ephemeral storage, and together have the size of the image.
    // Therefore a Job whose layers are in an emptyDir has no limit for ephemeral storage.
    boolean layersInPod = image.machine() != null && image.machine().store() == null;
    return layersInPod
        ? resources.build()
        : resources.addToLimits("ephemeral-storage", new Quantity("256Mi")).build();
  }

  /// Adds the node to every term of the required node affinity, because the terms are alternatives.
  /// Uses affinity instead of nodeName, so that the scheduler respects taints and free resources,
  /// and binds PVC′.
  private static Affinity on(String node, @Nullable Affinity given) {
    NodeSelectorRequirement name =
        new NodeSelectorRequirementBuilder()
            .withKey("metadata.name")
            .withOperator("In")
            .withValues(node)
            .build();
    AffinityBuilder affinity = given == null ? new AffinityBuilder() : new AffinityBuilder(given);
    List<NodeSelectorTerm> terms =
        given == null
                || given.getNodeAffinity() == null
                || given.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution()
                    == null
            ? List.of()
            : given
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms();
    List<NodeSelectorTerm> bound =
        terms.isEmpty()
            ? List.of(new NodeSelectorTermBuilder().withMatchFields(name).build())
            : terms.stream()
                .map(term -> new NodeSelectorTermBuilder(term).addToMatchFields(name).build())
                .toList();
    return affinity
        .editOrNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNodeSelectorTerms(bound)
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build();
  }
}

package dev.pvcpopulators.operator.child;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.VolumeService;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.api.PodTemplate;
import dev.pvcpopulators.operator.api.RegistrySource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Builds the parts of a stream: a dynamic volume whose container is registry-stream-iscsi, the
/// claim of its cache, and the Secret with which nodes log in to the iSCSI target.
public final class StreamChildren {
  private static final String SERVICE = "registry-stream-iscsi";
  private static final String PREFIX = "REGISTRY_STREAM_ISCSI_";
  private static final int HTTPS = 8443;
  private static final int ISCSI = 3260;
  private static final long USER = 107;
  private static final int GROUP_READS = 288;
  private static final String CHAP = "/etc/pvc-populators/chap";
  private static final String CHAP_USER = "node.session.auth.username";
  private static final String CHAP_PASSWORD = "node.session.auth.password";
  private static final String INITIATOR = "pvc-populators";

  private final JobSettings settings;
  private final Tokens tokens;

  public StreamChildren(JobSettings settings, Tokens tokens) {
    this.settings = settings;
    this.tokens = tokens;
  }

  /// Returns the name of the claim that stores a stream's image and the data that initiators write.
  public static String cacheName(DynamicVolume stream) {
    return stream.getMetadata().getName() + "-cache";
  }

  /// Returns the name of the Secret with which nodes log in.
  public static String chapName(DynamicVolume stream) {
    return stream.getMetadata().getName() + "-chap";
  }

  /// Returns the dynamic volume of a stream.
  ///
  /// @param name unique among the existing streams of the namespace; an earlier stream may have had
  ///   the same name
  /// @param accessMode the value of `REGISTRY_STREAM_ISCSI_ACCESS_MODE` for the stream's container
  public DynamicVolume stream(
      String name, PersistentVolumeClaim claim, DiskImage image, String accessMode) {
    DynamicVolume stream = new DynamicVolume();
    stream.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withNamespace(claim.getMetadata().getNamespace())
            .withLabels(Owner.LABELS)
            .addToLabels("app.kubernetes.io/component", "stream")
            .addToAnnotations(Group.POPULATED_FROM, image.getMetadata().getName())
            .withOwnerReferences(owner(claim))
            .build());
    RegistrySource registry = Objects.requireNonNull(image.getSpec().registry());
    SourceContainer source = SourceContainer.registry(SERVICE, PREFIX, registry);
    PodTemplate template = image.getSpec().template();
    JsonNode pod =
        tree(
            new PodTemplateSpecBuilder()
                .withMetadata(
                    new ObjectMetaBuilder()
                        .withLabels(template == null ? null : template.labels())
                        .addToLabels("app.kubernetes.io/name", SERVICE)
                        .addToLabels("app.kubernetes.io/component", "stream")
                        .withAnnotations(template == null ? null : template.annotations())
                        .build())
                .withSpec(pod(stream, source, template))
                .build());
    stream.setSpec(
        new DynamicVolumeSpec(
            tree(container(stream, source, template, accessMode)),
            pod,
            null,
            HTTPS,
            new VolumeService(ISCSI, PREFIX + "HOST"),
            null));
    return stream;
  }

  /// Returns the owner reference to a claim. Garbage collection deletes a stream after the last of
  /// its owners is deleted.
  public static OwnerReference owner(PersistentVolumeClaim claim) {
    return new OwnerReferenceBuilder()
        .withApiVersion("v1")
        .withKind("PersistentVolumeClaim")
        .withName(claim.getMetadata().getName())
        .withUid(claim.getMetadata().getUid())
        .withController(false)
        .withBlockOwnerDeletion(false)
        .build();
  }

  private static PodSpec pod(
      DynamicVolume stream, SourceContainer source, @Nullable PodTemplate template) {
    PodSpecBuilder pod =
        new PodSpecBuilder()
            .withAutomountServiceAccountToken(false)
            .withEnableServiceLinks(false)
            // Initiators need time to log out, and the target needs time to flush written data.
            .withTerminationGracePeriodSeconds(60L)
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
            .withVolumes(
                new VolumeBuilder()
                    .withName("volume")
                    .withNewPersistentVolumeClaim()
                    .withClaimName(cacheName(stream))
                    .endPersistentVolumeClaim()
                    .build(),
                new VolumeBuilder()
                    .withName("chap")
                    .withNewSecret()
                    .withSecretName(chapName(stream))
                    .withDefaultMode(GROUP_READS)
                    .endSecret()
                    .build())
            .addAllToVolumes(source.volumes());
    if (template != null) {
      pod.withNodeSelector(template.nodeSelector())
          .withAffinity(template.affinity())
          .withTolerations(template.tolerations())
          .withPriorityClassName(template.priorityClassName())
          .withServiceAccountName(template.serviceAccountName())
          .withImagePullSecrets(template.imagePullSecrets())
          .withRuntimeClassName(template.runtimeClassName());
    }
    return pod.build();
  }

  private Container container(
      DynamicVolume stream,
      SourceContainer source,
      @Nullable PodTemplate template,
      String accessMode) {
    ContainerBuilder container =
        new ContainerBuilder()
            .withName("populator")
            .withImage(settings.image(SERVICE))
            .withImagePullPolicy(settings.pullPolicy())
            .withEnv(environment(stream, source, accessMode))
            .addNewPort()
            .withName("https")
            .withContainerPort(HTTPS)
            .withProtocol("TCP")
            .endPort()
            .addNewPort()
            .withName("iscsi")
            .withContainerPort(ISCSI)
            .withProtocol("TCP")
            .endPort()
            .withStartupProbe(probe("started").withFailureThreshold(120).build())
            .withLivenessProbe(probe("live").withFailureThreshold(6).withPeriodSeconds(10).build())
            .withNewSecurityContext()
            .withAllowPrivilegeEscalation(false)
            .withReadOnlyRootFilesystem(true)
            .withRunAsNonRoot(true)
            .withNewCapabilities()
            .withDrop("ALL")
            .endCapabilities()
            .endSecurityContext()
            .withVolumeMounts(source.mounts())
            .addNewVolumeMount()
            .withName("volume")
            .withMountPath("/volume")
            .endVolumeMount()
            .addNewVolumeMount()
            .withName("chap")
            .withMountPath(CHAP)
            .withReadOnly(true)
            .endVolumeMount();
    if (template != null && template.resources() != null) {
      return container.withResources(template.resources()).build();
    }
    return container
        .withNewResources()
        .addToRequests("cpu", new Quantity("250m"))
        .addToRequests("memory", new Quantity("256Mi"))
        .addToLimits("cpu", new Quantity("4"))
        .addToLimits("memory", new Quantity("512Mi"))
        .endResources()
        .build();
  }

  private static ProbeBuilder probe(String name) {
    return new ProbeBuilder()
        .withNewHttpGet()
        .withPath("/q/health/" + name)
        .withNewPort(HTTPS)
        .withScheme("HTTPS")
        .endHttpGet()
        .withPeriodSeconds(1)
        .withTimeoutSeconds(3);
  }

  private List<EnvVar> environment(
      DynamicVolume stream, SourceContainer source, String accessMode) {
    Map<String, String> variables = settings.environment(PREFIX);
    variables.putAll(source.environment());
    variables.put("POPULATOR_CLAIM_NAME", cacheName(stream));
    variables.put(PREFIX + "TARGET", "iqn.2017-01.io.kubevirt:" + stream.getMetadata().getName());
    variables.put(PREFIX + "LUN", "0");
    variables.put(PREFIX + "ACCESS_MODE", accessMode);
    variables.put(PREFIX + "COPY_MODE", "copy-on-write");
    variables.put(PREFIX + "CHAP_USER", INITIATOR);
    variables.put(PREFIX + "CHAP_SECRET_FILE", CHAP + "/" + CHAP_PASSWORD);
    List<EnvVar> list = new ArrayList<>();
    variables.forEach(
        (name, value) -> list.add(new EnvVarBuilder().withName(name).withValue(value).build()));
    return list;
  }

  /// Returns the Secret with which nodes log in, in the form that the field `secretRef` of an iSCSI
  /// volume requires.
  public Secret chap(DynamicVolume stream) {
    String password = tokens.chap(stream);
    return new SecretBuilder()
        .withMetadata(VolumeNames.owned(stream, chapName(stream)).build())
        .withType("kubernetes.io/iscsi-chap")
        .withStringData(
            Map.of(
                CHAP_USER,
                INITIATOR,
                CHAP_PASSWORD,
                password,
                "discovery.sendtargets.auth.username",
                INITIATOR,
                "discovery.sendtargets.auth.password",
                password))
        .build();
  }

  /// Returns the claim of the cache. The default size of the cache is the storage that the user's
  /// claim requests, doubled if the disk is writable, plus 1 GiB.
  ///
  /// @param disk the storage that the user's claim requests
  /// @param written whether the disk is writable
  /// @param storageClass the StorageClass of the user's claim. Its parameter `cacheSize` may set
  ///   the size of the cache. Its parameter `cacheClass` may set the class of the cache; the
  ///   default is the cluster's default class
  public static PersistentVolumeClaim cache(
      DynamicVolume stream, Quantity disk, boolean written, StorageClass storageClass) {
    Map<String, String> parameters =
        Optional.ofNullable(storageClass.getParameters()).orElse(Map.of());
    String size = parameters.get("cacheSize");
    Quantity wanted =
        size == null ? disk.multiply(written ? 2 : 1).add(new Quantity("1Gi")) : new Quantity(size);
    return new PersistentVolumeClaimBuilder()
        .withMetadata(VolumeNames.owned(stream, cacheName(stream)).build())
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .withStorageClassName(parameters.get("cacheClass"))
        .withNewResources()
        .addToRequests("storage", wanted)
        .endResources()
        .endSpec()
        .build();
  }

  private static JsonNode tree(Object object) {
    return Serialization.unmarshal(Serialization.asJson(object), JsonNode.class);
  }
}

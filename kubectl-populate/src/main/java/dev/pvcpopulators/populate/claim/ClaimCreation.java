package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.function.Consumer;

/// Creates the DiskImage of a claim if there is none, and then the claim. If the claim exists,
/// creates nothing. If an earlier run was interrupted, a new run completes the creation.
public final class ClaimCreation {
  private final KubernetesClient client;
  private final ClaimRequest request;
  private final Consumer<String> notes;

  /// Prepares the creation; creates no object yet.
  ///
  /// @param notes gets a sentence for each created object
  public ClaimCreation(KubernetesClient client, ClaimRequest request, Consumer<String> notes) {
    this.client = client;
    this.request = request;
    this.notes = notes;
  }

  /// Determines the storage that a new claim requests.
  public interface Size {
    /// Returns the storage.
    ///
    /// @throws VolumeException if the storage cannot be determined
    Quantity get() throws VolumeException;
  }

  /// Creates the DiskImage if there is none, and then the claim. If the claim exists, creates
  /// nothing, but checks the claim and its DiskImage. If this program has created the claim and the
  /// DiskImage, makes the claim an owner of the DiskImage.
  ///
  /// @param size called only for a new claim
  /// @throws VolumeException if an existing object differs from the [ClaimRequest], the
  ///   StorageClass does not exist, `size` fails, or the API server refuses an operation or ignores
  ///   the data source
  public void run(Size size) throws VolumeException {
    String name = request.claim();
    try {
      PersistentVolumeClaim found =
          client.persistentVolumeClaims().inNamespace(request.namespace()).withName(name).get();
      if (found != null) {
        String image = request.checked(found);
        if (checkImage(image) && createdByThisProgram(found)) {
          own(found, image);
        }
        return;
      }
      requireClass();
      Quantity storage = size.get();
      boolean created = image();
      PersistentVolumeClaim claim = client.resource(request.newClaim(storage)).create();
      if (ClaimReader.imageName(claim).isEmpty()) {
        client.resource(claim).delete();
        if (created) {
          client.resource(request.newImage()).delete();
        }
        throw VolumeException.invalid(
            "Creating claim %s: the API server ignores its data source; Kubernetes before 1.24 needs"
                    .formatted(name)
                + " the feature gate AnyVolumeDataSource");
      }
      notes.accept("Created claim %s with %s".formatted(name, storage));
      if (created) {
        own(claim, request.imageName());
      }
    } catch (KubernetesClientException e) {
      throw Failures.of(
          "Creating claim %s in namespace %s".formatted(name, request.namespace()), e);
    }
  }

  /// Throws if the StorageClass of the request does not exist. The API server accepts a claim with
  /// a missing StorageClass, and the claim then waits until a user creates the class.
  private void requireClass() throws VolumeException {
    if (request.storageClass().isEmpty()) {
      return;
    }
    String name = request.storageClass().get();
    try {
      if (client.storage().v1().storageClasses().withName(name).get() == null) {
        throw VolumeException.invalid(
            "Creating claim %s: expected the StorageClass %s, found none; kubectl get storageclasses"
                    .formatted(request.claim(), name)
                + " lists the classes");
      }
    } catch (KubernetesClientException e) {
      // A user with rights in only one namespace cannot read StorageClasses. In this case, the
      // command creates the claim without this check.
      if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw e;
      }
    }
  }

  /// Checks the DiskImage of an existing claim. The DiskImage may be missing: the user may delete
  /// it while the population runs, because the population has a copy of the spec.
  ///
  /// @return whether the DiskImage exists, and this program has created it
  private boolean checkImage(String image) throws VolumeException {
    DiskImage found =
        client.resources(DiskImage.class).inNamespace(request.namespace()).withName(image).get();
    if (found == null) {
      return false;
    }
    request.check(found);
    return createdByThisProgram(found);
  }

  /// Creates the DiskImage if it is missing, and checks it otherwise.
  ///
  /// @return whether this program has created the DiskImage, now or in an earlier run
  private boolean image() throws VolumeException {
    DiskImage found =
        client
            .resources(DiskImage.class)
            .inNamespace(request.namespace())
            .withName(request.imageName())
            .get();
    if (found == null) {
      client.resource(request.newImage()).create();
      notes.accept("Created DiskImage " + request.imageName());
      return true;
    }
    request.check(found);
    return createdByThisProgram(found);
  }

  private boolean createdByThisProgram(HasMetadata found) {
    return found.getMetadata().getLabels() != null
        && found
            .getMetadata()
            .getLabels()
            .entrySet()
            .containsAll(request.newImage().getMetadata().getLabels().entrySet());
  }

  /// Makes the claim an owner of the DiskImage, so that the garbage collector removes the DiskImage
  /// when the last of its owners has been deleted.
  private void own(PersistentVolumeClaim claim, String imageName) {
    client
        .resources(DiskImage.class)
        .inNamespace(request.namespace())
        .withName(imageName)
        .edit(image -> {
          List<OwnerReference> owners = image.getMetadata().getOwnerReferences();
          String uid = claim.getMetadata().getUid();
          if (owners.stream().noneMatch(owner -> owner.getUid().equals(uid))) {
            owners.add(
                new OwnerReferenceBuilder()
                    .withApiVersion("v1")
                    .withKind("PersistentVolumeClaim")
                    .withName(claim.getMetadata().getName())
                    .withUid(uid)
                    .withBlockOwnerDeletion(false)
                    .build());
          }
          return image;
        });
  }
}

package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.populate.claim.ClaimReader;
import dev.pvcpopulators.populate.claim.ClaimState;
import dev.pvcpopulators.populate.claim.Failures;
import dev.pvcpopulators.populate.claim.Patience;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.client.Credentials;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// Uploads an image to a claim, over any number of connections and pods.
final class Upload {
  private static final int MOST_SECRET = 1 << 16;

  private final KubernetesClient client;
  private final String namespace;
  private final String claim;
  private final Sending sending;
  private final Patience patience;
  private String reachedPod = "";
  private String finishedPod = "";

  /// Creates an upload that has not begun.
  Upload(
      KubernetesClient client, String namespace, String claim, Sending sending, Patience patience) {
    this.client = client;
    this.namespace = namespace;
    this.claim = claim;
    this.sending = sending;
    this.patience = patience;
  }

  /// Runs the upload to its end.
  ///
  /// @param untilBound whether to wait until the claim is bound to the disk; if false, this method
  ///   returns when the service has verified the disk
  /// @throws VolumeException if the upload failed permanently, or made no progress for too long
  void run(boolean untilBound) throws VolumeException, InterruptedException {
    while (true) {
      switch (observed()) {
        case ClaimState.Missing _ ->
            throw new VolumeException(
                new Failure.Cancelled(
                    "Uploading to claim %s: the claim was deleted".formatted(claim)));
        case ClaimState.Failed(Failure failure) -> throw failed(failure);
        case ClaimState.Foreign(String volume) ->
            throw new VolumeException(
                new Failure.VolumeNotEmpty(
                    "Uploading to claim %s: it is bound to volume %s, which the operator did not fill;"
                            .formatted(claim, volume)
                        + " use another claim"));
        case ClaimState.Bound(String _, Optional<String> digest) -> {
          sending.requireSame(digest, claim);
          return;
        }
        case ClaimState.Waiting(String why) -> patience.pause(why);
        case ClaimState.Receiving receiving -> {
          receive(receiving);
          if (sending.confirmed() && !untilBound) {
            return;
          }
        }
      }
    }
  }

  /// Returns the exception for a failed population. If [Sending#begun] returns false, the message
  /// states that no byte was sent.
  private VolumeException failed(Failure failure) {
    return new VolumeException(
        sending.begun()
            ? failure
            : Failures.of(
                failure.kind(),
                "No byte was sent to claim %s, because its population had failed. %s"
                    .formatted(claim, failure.detail()),
                failure.retryable()));
  }

  /// Returns the claim's state. While the API server is unavailable, pauses and tries again.
  private ClaimState observed() throws VolumeException, InterruptedException {
    while (true) {
      try {
        return ClaimState.of(new ClaimReader(client, namespace).observe(claim, true));
      } catch (VolumeException e) {
        interrupted(e);
      }
    }
  }

  private void receive(ClaimState.Receiving receiving)
      throws VolumeException, InterruptedException {
    String pod = receiving.pod().getMetadata().getUid();
    if (pod.equals(finishedPod)) {
      patience.pause("the disk is complete; the operator binds its volume to the claim");
      return;
    }
    try {
      send(receiving);
      finishedPod = pod;
    } catch (VolumeException e) {
      if (e.failure() instanceof Failure.VolumeBusy busy) {
        patience.pause(busy.detail());
      } else {
        interrupted(e);
      }
    } catch (IOException e) {
      if (pod.equals(reachedPod)) {
        interrupted(String.valueOf(e.getMessage()));
      } else {
        // The process of a new pod does not listen immediately after its start.
        patience.note(
            "Waiting: pod %s does not answer yet"
                .formatted(receiving.pod().getMetadata().getName()));
        patience.pauseAfterFailure(String.valueOf(e.getMessage()));
      }
    }
  }

  /// Pauses after a temporary failure; throws any other failure.
  private void interrupted(VolumeException e) throws VolumeException, InterruptedException {
    if (!(e.failure() instanceof Failure.SourceUnavailable)) {
      throw e;
    }
    interrupted(e.failure().detail());
  }

  private void interrupted(String reason) throws VolumeException, InterruptedException {
    sending.interrupted();
    patience.note("Interrupted: " + reason);
    patience.pauseAfterFailure(reason);
  }

  private void send(ClaimState.Receiving receiving)
      throws IOException, VolumeException, InterruptedException {
    Secret secret = secret(receiving.secret());
    Credentials.Token token;
    try {
      token = new Credentials.Token(value(secret, "token"));
    } catch (IllegalArgumentException e) {
      throw new IOException("Secret %s: %s".formatted(receiving.secret(), e.getMessage()), e);
    }
    try (Tunnel tunnel = Tunnel.open(client, receiving.pod())) {
      try (UploadClient service = new UploadClient(tunnel.url(), value(secret, "ca.crt"), token)) {
        Place place = service.place();
        reachedPod = receiving.pod().getMetadata().getUid();
        sending.run(service, place);
      } catch (IOException e) {
        throw tunnel.reason(e);
      }
    }
  }

  private Secret secret(String name) throws IOException, VolumeException {
    try {
      return Optional.ofNullable(client.secrets().inNamespace(namespace).withName(name).get())
          .orElseThrow(() ->
              new IOException("Secret %s: expected the operator to create it".formatted(name)));
    } catch (KubernetesClientException e) {
      throw Failures.of("Reading Secret %s in namespace %s".formatted(name, namespace), e);
    }
  }

  private static String value(Secret secret, String key) throws IOException {
    String encoded = secret.getData() == null ? null : secret.getData().get(key);
    if (encoded == null || encoded.length() > MOST_SECRET) {
      throw new IOException(
          "Secret %s: expected the key %s of at most %d bytes"
              .formatted(secret.getMetadata().getName(), key, MOST_SECRET));
    }
    try {
      return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "Secret %s: expected base64 in the key %s".formatted(secret.getMetadata().getName(), key),
          e);
    }
  }
}

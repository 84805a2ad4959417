package dev.pvcpopulators.operator;

import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.operator.api.DiskPopulationStatus.Phase;
import dev.pvcpopulators.operator.child.FillingJob;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.status.Progress;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.operator.status.Report;
import dev.pvcpopulators.operator.status.StatusUpdate;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Polls running pods for their progress and writes the progress to their populations. Each
/// followed pod has its own virtual thread, which ends when the pod is no longer followed. The next
/// step for a claim (`Plan`) does not depend on the progress.
final class Followers {
  private static final System.Logger LOG = System.getLogger(Followers.class.getName());

  /// Interval between two polls, and minimum interval between two writes of the progress.
  private static final Duration EVERY = Duration.ofSeconds(2);

  /// Poll interval after [#PATIENCE] or more consecutive failed polls.
  private static final Duration SELDOM = Duration.ofSeconds(30);

  /// Number of consecutive failed polls after which the poll interval becomes [#SELDOM]. After
  /// these polls, the progress is reported as unknown if no progress was written before. One failed
  /// poll is not enough, because a service opens its port about a second after its container has
  /// started.
  private static final int PATIENCE = 5;

  private final KubernetesClient client;
  private final Optional<Integer> statusPort;
  private final Tokens tokens;
  private final Events events;

  /// The followers by the UID of their claims.
  private final Map<String, Follower> followers = new ConcurrentHashMap<>();

  private volatile Populations populations = population -> population;

  /// Looks up the current state of populations.
  interface Populations {
    /// Returns the population as it is now; null if it no longer exists.
    @Nullable DiskPopulation current(DiskPopulation population);
  }

  Followers(KubernetesClient client, Optional<Integer> statusPort, Tokens tokens, Events events) {
    this.client = client;
    this.statusPort = statusPort;
    this.tokens = tokens;
    this.events = events;
  }

  /// Sets the look-up of the current state of populations.
  void lookUp(Populations watched) {
    populations = watched;
  }

  /// Follows a pod until [#leave] is called, another pod takes its place, or the population is
  /// deleted or enters a phase after [Phase#Populating]. Does nothing if the pod has no address or
  /// serves no status.
  void follow(PersistentVolumeClaim claim, DiskPopulation population, Pod pod) {
    String address = pod.getStatus().getPodIP();
    boolean upload = population.getSpec().image().upload() != null;
    if (address == null || (!upload && statusPort.isEmpty())) {
      return;
    }
    Follower made = new Follower(claim, population, pod.getMetadata().getUid(), address);
    Follower kept =
        followers.merge(
            claim.getMetadata().getUid(),
            made,
            (before, _) -> before.podUid.equals(made.podUid) ? before.askedAgain() : made);
    if (made.equals(kept)) {
      made.start();
    }
  }

  /// Stops following the claim's pod.
  void leave(PersistentVolumeClaim claim) {
    followers.remove(claim.getMetadata().getUid());
  }

  /// Writes the progress of a population unless the population has changed since it was read, so
  /// that progress never overwrites a later, final status.
  ///
  /// @return whether the progress was written
  private boolean write(DiskPopulation population, DiskPopulationStatus status) {
    try {
      client
          .resource(population)
          .subresource("status")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              StatusPatch.conditional(population, StatusUpdate.statusOf(population), status));
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT
          || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private final class Follower {
    private final PersistentVolumeClaim claim;
    private final DiskPopulation population;
    private final String podUid;
    private final String address;

    /// Whether [Followers#follow] was called again for the same pod since the last look-up of the
    /// population.
    private volatile boolean again;

    Follower(
        PersistentVolumeClaim claim, DiskPopulation population, String podUid, String address) {
      this.claim = claim;
      this.population = population;
      this.podUid = podUid;
      this.address = address;
    }

    void start() {
      Thread.ofVirtual().name("progress-" + podUid).start(this::run);
    }

    Follower askedAgain() {
      again = true;
      return this;
    }

    private void run() {
      try {
        do {
          again = false;
          poll();
        } while (stays());
      } finally {
        followers.remove(claim.getMetadata().getUid(), this);
      }
    }

    /// Returns whether this follower continues. It must continue if [Followers#follow] was called
    /// for the same pod since the last [#poll] began: such a call found this follower in the map,
    /// and therefore started no new one. Otherwise removes this follower from the map, unless
    /// another follower has replaced it.
    private boolean stays() {
      return equals(
          followers.computeIfPresent(
              claim.getMetadata().getUid(), (_, kept) -> equals(kept) && !again ? null : kept));
    }

    private void poll() {
      try (PodStatus status = status()) {
        follow(status);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      } catch (KubernetesClientException | IllegalArgumentException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "Stopped following a pod: claim={0}/{1}: {2}",
            claim.getMetadata().getNamespace(),
            claim.getMetadata().getName(),
            e.getMessage());
      }
    }

    private PodStatus status() {
      DiskPopulationStatus.Upload upload = StatusUpdate.statusOf(population).upload();
      return upload == null
          ? new PodStatus(address, statusPort.orElseThrow(), tokens.status(claim), null)
          : new PodStatus(
              address, FillingJob.UPLOAD_PORT, tokens.upload(claim), upload.certificate());
    }

    private void follow(PodStatus status) throws InterruptedException {
      Progress told = null;
      int unanswered = 0;
      DiskPopulation now = populations.current(population);
      while (followed() && now != null && fills(now)) {
        try {
          Progress progress = status.read();
          unanswered = 0;
          if (progress.moved(told) && write(now, progress.onto(StatusUpdate.statusOf(now)))) {
            told = progress;
          }
        } catch (IOException e) {
          unanswered++;
          if (unanswered == PATIENCE && told == null) {
            unknown(now, e);
          }
        }
        Thread.sleep(unanswered < PATIENCE ? EVERY : SELDOM);
        again = false;
        now = populations.current(population);
      }
    }

    private boolean followed() {
      return equals(followers.get(claim.getMetadata().getUid()));
    }

    private boolean fills(DiskPopulation now) {
      Phase phase = StatusUpdate.statusOf(now).phase();
      return phase == null || phase.compareTo(Phase.Populating) <= 0;
    }

    private void unknown(DiskPopulation now, IOException cause) {
      write(now, Progress.unknown(StatusUpdate.statusOf(now)));
      events.tell(
          claim,
          population.getMetadata().getUid(),
          Report.of(
              Phase.Populating,
              Reason.ProgressUnknown,
              "The operator cannot read the progress of the pod at %s; the filling continues. Check"
                      .formatted(address)
                  + " that the NetworkPolicies of the namespace let the operator connect"));
      LOG.log(
          System.Logger.Level.INFO,
          "A pod did not answer with its status: claim={0}/{1} address={2}: {3}",
          claim.getMetadata().getNamespace(),
          claim.getMetadata().getName(),
          address,
          cause.toString());
    }
  }
}

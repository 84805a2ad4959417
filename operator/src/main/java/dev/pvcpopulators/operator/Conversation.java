package dev.pvcpopulators.operator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.dynamic.ContainerAnswer;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import dev.pvcpopulators.operator.status.Progress;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.SafeText;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.client.Credentials;
import dev.pvcpopulators.volume.client.Endpoint;
import dev.pvcpopulators.volume.client.InvalidAnswerException;
import dev.pvcpopulators.volume.client.ProblemException;
import dev.pvcpopulators.volume.client.StatusReport;
import dev.pvcpopulators.volume.client.Trust;
import dev.pvcpopulators.volume.client.VolumeAnswer;
import dev.pvcpopulators.volume.client.VolumeClient;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/// Polls one container until the container has created or removed its volume, reports a permanent
/// failure, or has another volume than expected. A container that violates the contract is polled
/// without end, because the container may be repaired. After the time limit of the first answer,
/// the pause between two polls grows to at most 30 s.
final class Conversation {
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Duration REMOVAL = Duration.ofMinutes(2);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

  /// The longest pause after a request without a usable answer. Applies until the time limit of the
  /// first answer has passed. The pause is short, because a claim of a streaming class waits until
  /// the container has answered a request.
  private static final Duration SILENT_PAUSE = Duration.ofMillis(500);

  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration LONG_PAUSE = Duration.ofSeconds(30);
  private static final long SHOW_NANOS = Duration.ofSeconds(2).toNanos();
  private static final Set<Integer> REFUSALS = Set.of(401, 403);
  private static final int MOST_TEXT = 500;
  private static final String ABSENT =
      "Asking for the volume after its creation: expected one, found none";

  private final DynamicVolume volume;
  private final Pod pod;
  private final String instance;
  private final Manner manner;
  private final long begun = System.nanoTime();
  private final Thread thread;

  /// Completes when this conversation has no request in progress and sends no further request.
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();

  private CompletableFuture<Boolean> before = CompletableFuture.completedFuture(true);
  private volatile ContainerAnswer heard = new ContainerAnswer.Silent("");
  private volatile boolean ended;
  private boolean putting;
  private long shown = begun - SHOW_NANOS;

  /// Parameters of a conversation.
  ///
  /// @param token bearer token for the container
  /// @param limit time limit of the container's first answer
  /// @param changed called when the container's state has changed
  record Manner(String token, Duration limit, Runnable changed) {}

  /// Creates a conversation.
  ///
  /// @param instance identifies this conversation among others
  Conversation(DynamicVolume volume, Pod pod, String instance, Manner manner) {
    this.volume = volume;
    this.pod = pod;
    this.instance = instance;
    this.manner = manner;
    this.thread =
        Thread.ofVirtual().name("volume-" + pod.getMetadata().getUid()).unstarted(this::run);
  }

  String instance() {
    return instance;
  }

  ContainerAnswer heard() {
    return heard;
  }

  /// Ends another conversation, and makes this conversation wait until the other conversation has
  /// ended. Otherwise the container could receive the other conversation's PUT after this
  /// conversation's DELETE. The container would then keep a volume without an owner. Call this
  /// before [#start].
  void replace(Conversation other) {
    other.end();
    before = other.over;
  }

  void start() {
    thread.start();
  }

  /// Ends the conversation. Returns without waiting for the end. Interrupts any request except a
  /// PUT. The container may already have received the PUT. If the PUT were interrupted, the next
  /// conversation could send its DELETE before the container processes the PUT.
  synchronized void end() {
    ended = true;
    if (!putting) {
      thread.interrupt();
    }
  }

  private void run() {
    try {
      before.join();
      converse();
    } finally {
      over.complete(true);
    }
  }

  private void converse() {
    boolean removal = volume.isMarkedForDeletion();
    try (VolumeClient client = new VolumeClient(endpoint())) {
      Duration pause = FIRST_PAUSE;
      while (!ended) {
        ContainerAnswer said = said(client, removal);
        hear(said);
        if (last(said)) {
          return;
        }
        Thread.sleep(pause);
        pause = next(pause, said, late());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException | IllegalArgumentException e) {
      // status.certificate was not written by the operator, or the pod's address is invalid.
      hear(new ContainerAnswer.Unusable(VolumeReason.CertificateRefused, text(e)));
    }
  }

  /// Returns the pause after the next request.
  ///
  /// @param late whether the time limit of the first answer has passed
  static Duration next(Duration pause, ContainerAnswer said, boolean late) {
    Duration beforeLimit = said instanceof ContainerAnswer.Silent ? SILENT_PAUSE : PAUSE;
    Duration longest = late ? LONG_PAUSE : beforeLimit;
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(longest) < 0 ? doubled : longest;
  }

  private Endpoint endpoint() {
    String address = pod.getStatus().getPodIP();
    String host = address.contains(":") ? "[" + address + "]" : address;
    String certificate =
        Objects.requireNonNull(VolumeNames.statusOf(volume).certificate(), "asked too early");
    return Endpoint.of(
            URI.create("https://%s:%d".formatted(host, volume.getSpec().portOrDefault())))
        .trusting(new Trust.Exactly(certificate))
        .with(new Credentials.Token(manner.token()))
        .within(ANSWER);
  }

  private ContainerAnswer said(VolumeClient client, boolean removal) throws InterruptedException {
    try {
      return removal ? remove(client) : make(client);
    } catch (ProblemException e) {
      return problem(e.problem());
    } catch (IOException e) {
      return late()
          ? new ContainerAnswer.Unusable(reason(e), text(e))
          : new ContainerAnswer.Silent(text(e));
    }
  }

  private static boolean last(ContainerAnswer said) {
    return switch (said) {
      case ContainerAnswer.Made _, ContainerAnswer.Removed _, ContainerAnswer.Changed _ -> true;
      case ContainerAnswer.Failed(_, boolean again) -> !again;
      case ContainerAnswer.Silent _, ContainerAnswer.Unusable _, ContainerAnswer.Moving _ -> false;
    };
  }

  private ContainerAnswer make(VolumeClient client) throws IOException, InterruptedException {
    VolumeAnswer answer = put(client);
    if (answer instanceof VolumeAnswer.UnderWay(StatusReport accepted)) {
      // If `heard` is a failure, `heard` stays unchanged until the first status of the status
      // stream arrives.
      if (heard instanceof ContainerAnswer.Silent) {
        hear(moving(accepted));
      }
      StatusReport end = follow(client);
      if (end.failure() != null) {
        return problem(end.failure());
      }
      answer = client.get();
    }
    return switch (answer) {
      case VolumeAnswer.Usable usable -> made(client.status(), usable);
      case VolumeAnswer.UnderWay(StatusReport status) -> moving(status);
      case VolumeAnswer.Absent _ ->
          late()
              ? new ContainerAnswer.Unusable(VolumeReason.NotTheContract, ABSENT)
              : new ContainerAnswer.Silent(ABSENT);
    };
  }

  private VolumeAnswer put(VolumeClient client) throws IOException, InterruptedException {
    putting(true);
    try {
      return client.put(request(), Duration.ZERO);
    } finally {
      putting(false);
    }
  }

  private synchronized void putting(boolean now) throws InterruptedException {
    putting = now;
    if (ended) {
      throw new InterruptedException("The conversation was ended");
    }
  }

  /// Follows a creation, which may last for days, to its end. The container sends its status at the
  /// beginning of each status stream, so a stream without any status is an error.
  private StatusReport follow(VolumeClient client) throws IOException, InterruptedException {
    while (true) {
      AtomicBoolean answered = new AtomicBoolean();
      try {
        return client.follow(
            status -> {
              answered.set(true);
              hear(moving(status));
              return !ended && !status.phase().terminal();
            },
            longer(manner.limit(), ANSWER));
      } catch (HttpTimeoutException e) {
        if (e.getCause() instanceof ProblemException problem) {
          throw problem;
        }
        if (!answered.get()) {
          throw e;
        }
      }
    }
  }

  private VolumeRequest request() {
    return volume.getSpec().body() instanceof ObjectNode body
        ? new VolumeRequest(body)
        : VolumeRequest.empty();
  }

  private static ContainerAnswer made(StatusReport status, VolumeAnswer.Usable usable) {
    return new ContainerAnswer.Made(
        usable.yaml(),
        usable.source(),
        status.revision(),
        status.document().path("virtualSize").asLong(-1));
  }

  private static ContainerAnswer moving(StatusReport status) {
    return new ContainerAnswer.Moving(status.phase().name(), progress(status));
  }

  private static String progress(StatusReport status) {
    try {
      return Progress.read(Notation.JSON.write(status.document())).text();
    } catch (IOException _) {
      // The status has another schema, and therefore no progress numbers.
      return "";
    }
  }

  /// Requests the removal of the volume. After a restart, the container may report another revision
  /// for the same volume. Therefore a volume with another revision is removed, too, if the
  /// container's answer equals the answer in `status.source`.
  private ContainerAnswer remove(VolumeClient client) throws IOException, InterruptedException {
    String revision = VolumeNames.statusOf(volume).revision();
    Expected expected =
        revision == null ? new Expected.Something() : new Expected.Revision(Set.of(revision));
    // If the DynamicVolume's status has no revision, the operator has not recorded a volume of this
    // container, and the container possibly does not implement the contract. Therefore the removal
    // has the time limit of the first answer.
    Duration patience = revision == null ? manner.limit() : REMOVAL;
    if (client.delete(expected, patience)) {
      return new ContainerAnswer.Removed();
    }
    return switch (client.get()) {
      case VolumeAnswer.Absent _ -> new ContainerAnswer.Removed();
      case VolumeAnswer.UnderWay _ ->
          new ContainerAnswer.Changed("the container makes another volume than the requested one");
      case VolumeAnswer.Usable usable -> {
        boolean same = usable.yaml().equals(VolumeNames.statusOf(volume).source());
        Expected now = new Expected.Revision(Set.of(client.status().revision()));
        yield same && client.delete(now, REMOVAL)
            ? new ContainerAnswer.Removed()
            : new ContainerAnswer.Changed(
                "the container has another volume than the one in its answer");
      }
    };
  }

  private ContainerAnswer problem(Problem problem) {
    String text = SafeText.of(problem.title() + ": " + problem.detail(), MOST_TEXT);
    if (REFUSALS.contains(problem.status())) {
      return new ContainerAnswer.Unusable(VolumeReason.TokenRefused, text);
    }
    if (volume.isMarkedForDeletion()) {
      return late()
          ? new ContainerAnswer.Unusable(VolumeReason.NotDeleted, text)
          : new ContainerAnswer.Silent(text);
    }
    return new ContainerAnswer.Failed(text, problem.retryable());
  }

  private static VolumeReason reason(IOException cause) {
    for (Throwable one = cause; one != null; one = one.getCause()) {
      if (one instanceof CertificateException) {
        return VolumeReason.CertificateRefused;
      }
    }
    boolean tls =
        !(cause.getCause() instanceof SSLException)
            || cause.getCause() instanceof SSLHandshakeException;
    return cause instanceof InvalidAnswerException || !tls
        ? VolumeReason.NotTheContract
        : VolumeReason.NoAnswer;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  private static String text(Exception cause) {
    return SafeText.of(String.valueOf(cause.getMessage()), MOST_TEXT);
  }

  private boolean late() {
    return System.nanoTime() - begun > manner.limit().toNanos();
  }

  /// Records and reports the container's state: progress at most every two seconds, other changes
  /// at once.
  private void hear(ContainerAnswer said) {
    ContainerAnswer before = heard;
    if (said.equals(before)) {
      return;
    }
    long now = System.nanoTime();
    boolean progress =
        said instanceof ContainerAnswer.Moving(String phase, _)
            && before instanceof ContainerAnswer.Moving(String phaseBefore, _)
            && phase.equals(phaseBefore);
    if (progress && now - shown < SHOW_NANOS) {
      return;
    }
    shown = now;
    heard = said;
    manner.changed().run();
  }
}

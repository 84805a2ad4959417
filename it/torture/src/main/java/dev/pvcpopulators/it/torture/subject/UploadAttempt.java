package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.RawUpload;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.content.DiskDirectory;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.JobOutcome;
import dev.pvcpopulators.it.torture.outcome.Outcome;
import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One upload to a Job or to a service.
final class UploadAttempt extends VolumeAttempt {
  private static final String[] JSON = {"Accept", "application/json"};
  private static final long POLL_MILLIS = 20;

  /// The problems after which the client retries an upload, because the earlier upload may not have
  /// ended yet.
  private static final Set<String> LATER = Set.of("volume-busy", "volume-not-empty", "cancelled");

  private final byte[] body;
  private final Moment moment;
  private final FinishTime tail;
  private final boolean resumes;
  private @Nullable Transfer transfer;

  /// Creates an attempt.
  ///
  /// @param resumes whether the client resumes an interrupted upload if possible; otherwise the
  ///   client sends the whole body again
  UploadAttempt(
      Launch launch,
      boolean once,
      Workspace place,
      DiskDirectory contents,
      byte[] body,
      Moment moment,
      FinishTime tail,
      boolean resumes) {
    super(launch, once, place, contents);
    this.body = body;
    this.moment = moment;
    this.tail = tail;
    this.resumes = resumes;
  }

  @Override
  public Valve wire(Service service) throws IOException, InterruptedException {
    service.awaitListening();
    Valve valve = Valve.towards(service.base().getPort());
    transfer = Transfer.of(valve, moment, body.length);
    return valve;
  }

  private Transfer transfer() {
    if (transfer == null) {
      throw new IllegalStateException("No transfer has begun");
    }
    return transfer;
  }

  @Override
  public void begin(Service service) {
    transfer().begin(() -> put(transfer().valve()));
  }

  private Answer put(Valve valve) throws IOException {
    try (RawUpload upload = RawUpload.put(valve.base(), "/upload", body.length)) {
      return send(upload, 0);
    }
  }

  /// Sends the body from an offset, and returns the answer. The answer may arrive before the whole
  /// body has been sent.
  private Answer send(RawUpload upload, int from) throws IOException {
    try {
      upload.send(body, from, body.length);
    } catch (IOException _) {
      return upload.answer();
    }
    long sent = System.nanoTime();
    Answer answer = upload.answer();
    tail.measured(System.nanoTime() - sent);
    return answer;
  }

  @Override
  public void vanish() throws IOException {
    transfer().valve().cut(Valve.Cut.RESET, 0);
  }

  @Override
  public void awaitMoment(Service service) throws InterruptedException {
    transfer().awaitMoment(service, tail.millis());
  }

  @Override
  public Outcome end(Service service) throws IOException, InterruptedException {
    Outcome answered = transfer().ending();
    if (!once || (answered instanceof Outcome.Refused && awaitsAnother(service))) {
      return answered;
    }
    Outcome ended = JobOutcome.of(service, place.message());
    if (answered instanceof Outcome.Made && !(ended instanceof Outcome.Exited)) {
      BrokenInvariant.unless("the Job that has answered 201", answered, ended);
    }
    return ended;
  }

  /// Returns whether a Job that has answered with a problem waits for another upload. If the Job
  /// refused the request before the upload began, the Job waits. Otherwise the Job ends.
  private static boolean awaitsAnother(Service job) throws InterruptedException {
    int logged = job.log().length();
    long end = System.nanoTime() + Http.LIMIT.toNanos();
    while (!job.endsWithin(POLL_MILLIS) && System.nanoTime() < end) {
      if (job.log().substring(logged).contains("\nPending ")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void finish(Service service) throws IOException, InterruptedException {
    boolean complete = contents.found() == VolumeState.COMPLETE;
    if (once) {
      place.forget();
      if (!complete) {
        service.awaitListening();
        upload(service);
      }
      BrokenInvariant.unless(
          "the Job without a fault", new Outcome.Made(), JobOutcome.of(service, place.message()));
    } else {
      if (!complete) {
        upload(service);
      }
      service.volume(JSON).expect(200);
    }
    contents.checkComplete();
  }

  /// Uploads the disk, and retries the upload after a problem in [#LATER]. The service may not have
  /// detected the end of the earlier connection yet, or may still publish the disk of a client that
  /// has disconnected.
  private void upload(Service service) throws IOException, InterruptedException {
    service.await(
        "an upload without a fault",
        () -> {
          if (!once && service.http().get("/volume", JSON).status() == 200) {
            return Optional.of(true);
          }
          Answer answer = resumes ? resume(service) : again(service);
          return switch (Transfer.ending(answer)) {
            case Outcome.Made _ -> Optional.of(true);
            case Outcome.Refused(int _, String type) when LATER.contains(type) -> Optional.empty();
            case Outcome.Refused _, Outcome.Exited _, Outcome.Pending _, Outcome.Unanswered _ ->
                throw new BrokenInvariant("the upload without a fault", "201", answer);
          };
        });
  }

  private Answer again(Service service) throws IOException {
    try (RawUpload upload = RawUpload.put(service.base(), "/upload", body.length)) {
      return send(upload, 0);
    }
  }

  /// Resumes at the offset of the interruption (README of http-upload, `Content-Range`). Sends the
  /// whole body if the service has received no byte or every byte.
  private Answer resume(Service service) throws IOException, InterruptedException {
    OptionalLong offset = service.http().head("/upload").number("upload-offset");
    int from = Math.toIntExact(offset.orElse(0));
    if (from == 0 || from == body.length) {
      return again(service);
    }
    int last = body.length - 1;
    try (RawUpload upload =
        new RawUpload(
            service.base(),
            "PUT",
            "/upload",
            "Content-Length",
            Integer.toString(body.length - from),
            "Content-Range",
            "bytes " + from + "-" + last + "/" + body.length)) {
      return send(upload, from);
    }
  }

  @Override
  public void close() throws IOException {
    if (transfer != null) {
      transfer.valve().close();
    }
  }
}

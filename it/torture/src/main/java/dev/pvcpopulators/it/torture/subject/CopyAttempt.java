package dev.pvcpopulators.it.torture.subject;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.RawUpload;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.content.VolumeContent;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.JobOutcome;
import dev.pvcpopulators.it.torture.outcome.Outcome;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One copy by a Job, or by a service whose client waits for the end of the copy.
final class CopyAttempt extends VolumeAttempt {
  private final Valve valve;
  private final byte[] body;
  private final long length;
  private final Transfer transfer;
  private final FinishTime tail;
  private volatile @Nullable RawUpload client;

  /// Creates an attempt.
  ///
  /// @param body the body of the request, as YAML
  /// @param valve the valve, which the caller closes
  /// @param length the number of bytes to transfer
  CopyAttempt(
      Launch launch,
      boolean once,
      Workspace place,
      VolumeContent contents,
      Valve valve,
      String body,
      long length,
      Moment moment,
      FinishTime tail) {
    super(launch, once, place, contents);
    this.valve = valve;
    this.body = body.getBytes(UTF_8);
    this.length = length;
    this.transfer = Transfer.of(valve, moment, length);
    this.tail = tail;
  }

  @Override
  public Valve wire(Service service) {
    return valve;
  }

  @Override
  public void begin(Service service) throws IOException {
    if (!once) {
      RawUpload asking = ask(service);
      client = asking;
      transfer.begin(asking::answer);
    }
  }

  private RawUpload ask(Service service) throws IOException {
    RawUpload asking =
        new RawUpload(
            service.base(),
            "PUT",
            "/volume",
            "Content-Type",
            "application/yaml",
            "Content-Length",
            Integer.toString(body.length));
    asking.send(body, 0, body.length);
    return asking;
  }

  @Override
  public void vanish() throws IOException {
    RawUpload asking = client;
    if (asking != null) {
      asking.reset();
    }
  }

  @Override
  public void awaitMoment(Service service) throws InterruptedException {
    transfer.awaitMoment(service, tail.millis());
  }

  @Override
  public Outcome end(Service service) throws IOException, InterruptedException {
    return once ? JobOutcome.of(service, place.message()) : transfer.ending();
  }

  @Override
  public void deleteUnrecorded() throws IOException {
    contents.deleteUnrecorded();
  }

  @Override
  public void finish(Service service) throws IOException, InterruptedException {
    valve.open();
    Transfer whole = Transfer.of(valve, new Moment(1, false), length);
    if (once) {
      whole.awaitMoment(service, 0);
      long last = System.nanoTime();
      Outcome ending = JobOutcome.of(service, place.message());
      tail.measured(System.nanoTime() - last);
      BrokenInvariant.unless("the Job without a fault", new Outcome.Made(), ending);
    } else {
      service.await("a copy without a fault", () -> copied(service));
      service.volume().expect(200);
    }
    contents.checkComplete();
  }

  /// Sends a request for the copy, and waits for the answer. Returns true if the copy succeeded,
  /// and empty if the service has not finished an earlier copy yet. Otherwise throws a
  /// [BrokenInvariant].
  private Optional<Boolean> copied(Service service) throws IOException, InterruptedException {
    Transfer whole = Transfer.of(valve, new Moment(1, false), length);
    try (RawUpload asking = ask(service)) {
      whole.begin(asking::answer);
      whole.awaitMoment(service, 0);
      long last = System.nanoTime();
      Outcome ending = whole.ending();
      tail.measured(System.nanoTime() - last);
      return switch (ending) {
        case Outcome.Made _ -> Optional.of(true);
        case Outcome.Refused(int _, String type) when type.equals("volume-busy") ->
            Optional.empty();
        case Outcome.Refused _, Outcome.Exited _, Outcome.Pending _, Outcome.Unanswered _ ->
            throw new BrokenInvariant("the copy without a fault", "201", ending);
      };
    }
  }

  @Override
  public void close() throws IOException {
    RawUpload asking = client;
    if (asking != null) {
      asking.close();
    }
  }
}

package dev.pvcpopulators.it.torture.subject;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.content.WrittenDisk;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.Outcome;
import dev.pvcpopulators.it.torture.outcome.VolumeState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The life of one LUN, from its PUT to its DELETE.
final class StreamAttempt implements Attempt {
  private static final String BYSTANDER = "bystander";
  private static final int BYSTANDER_LENGTH = 4096;
  private static final String LOCK = ".registry-stream-iscsi.lock";
  private static final int PULLS_A_SECOND = 3;

  private static final String[] YAML = {
    "Accept", "application/json", "Content-Type", "application/yaml"
  };

  private final Launch launch;
  private final Workspace place;
  private final SharedPull pulled;
  private final WrittenDisk disk;
  private final Initiator initiator;
  private final byte[] bystander = new byte[BYSTANDER_LENGTH];
  private final byte[] body;
  private @Nullable Service service;

  StreamAttempt(
      Launch launch,
      Workspace place,
      StreamIscsi.Input input,
      Valve valve,
      Moment moment,
      SplittableRandom random) {
    this.launch = launch;
    this.place = place;
    this.disk = new WrittenDisk(input.disk().array());
    this.initiator = new Initiator(disk, moment.fractionAfter(), random.split());
    this.pulled = new SharedPull(valve, moment, input.length(), initiator.marked());
    if (random.nextBoolean()) {
      // Limits the rate of the pull, so that the initiator can write during the pull.
      valve.rate(PULLS_A_SECOND * input.length());
    }
    random.nextBytes(bystander);
    this.body =
        "image: %s%ncopyMode: %s%naccessMode: write-shared%n"
            .formatted(pulled.valve().image("disks/torture:" + input.tag()), input.copyMode())
            .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Launch launch() {
    return launch;
  }

  @Override
  public boolean once() {
    return false;
  }

  @Override
  public boolean wantsOwnProcess() {
    return false;
  }

  @Override
  public Path volume() {
    return place.volume();
  }

  @Override
  public void furnish() throws IOException {
    Files.write(volume().resolve(BYSTANDER), bystander);
  }

  @Override
  public Valve wire(Service running) {
    service = running;
    return pulled.valve();
  }

  @Override
  public void begin(Service running) {
    pulled.begin(() -> put(running.http()), true);
  }

  private Answer put(Http http) throws IOException, InterruptedException {
    Answer answer = http.put("/volume", body, YAML);
    if (answer.status() == 201) {
      initiator.begin(IscsiLun.of(answer));
    } else {
      initiator.over();
    }
    return answer;
  }

  /// Disconnects the initiator, and not the HTTP client. The HTTP client has usually received its
  /// answer already, because the service answers as soon as the image's header has arrived.
  @Override
  public void vanish() {
    initiator.abandon();
  }

  @Override
  public void awaitMoment(Service running) throws InterruptedException {
    pulled.awaitMoment(running);
  }

  /// Waits for the service's answer. The service answers as soon as the image's header has arrived.
  /// Therefore, if the service has created the LUN, this method also calls [#awaitEnd].
  @Override
  public Outcome end(Service running) throws IOException, InterruptedException {
    Outcome answered = pulled.ending();
    if (!(answered instanceof Outcome.Made)) {
      return answered;
    }
    Optional<String> state = awaitEnd(running);
    initiator.stop();
    if (!running.alive()) {
      initiator.abandon();
    }
    initiator.await();
    return state.filter("complete"::equals).isPresent() ? answered : new Outcome.Pending();
  }

  /// Waits until the image is complete, the image has failed, or the service waits before a retry
  /// of the pull.
  ///
  /// @return the state of the image; empty if the service has ended, or if [Moment#LONGEST] has
  ///   passed
  private static Optional<String> awaitEnd(Service running)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + Moment.LONGEST.toNanos();
    while (running.alive() && System.nanoTime() < end) {
      try {
        String state = lun(running).path("state").asText();
        if (!"pulling".equals(state)) {
          return Optional.of(state);
        }
      } catch (IOException _) {
        // The service may lack a file descriptor for the connection.
      }
      var _ = running.endsWithin(10);
    }
    return Optional.empty();
  }

  private static JsonNode lun(Service running) throws IOException, InterruptedException {
    return running.status().path("details").path("luns").path(0);
  }

  /// Returns the state of the LUN. If the service's process has ended, checks only whether the LUN
  /// exists, because the content can be read only after the next start of the service.
  @Override
  public VolumeState found() throws IOException, InterruptedException {
    checkBystander();
    Service running = service;
    if (running == null || !running.alive()) {
      return Files.isDirectory(volume().resolve("luns/0"))
          ? VolumeState.UNFINISHED
          : VolumeState.ABSENT;
    }
    if (running.volume("Accept", "application/json").status() != 200) {
      return VolumeState.ABSENT;
    }
    return switch (lun(running).path("state").asText()) {
      case "complete" -> {
        check(running);
        yield VolumeState.COMPLETE;
      }
      case "failed" -> VolumeState.FAILED;
      default -> VolumeState.UNFINISHED;
    };
  }

  /// Waits until the image is complete or has failed. After a lost connection, the service waits
  /// before it retries the pull.
  ///
  /// @return false if the state is "failed"
  private static boolean whole(Service running) throws IOException, InterruptedException {
    return running
        .await(
            "the image",
            () ->
                switch (lun(running).path("state").asText()) {
                  case "complete" -> Optional.of(true);
                  case "failed" -> Optional.of(false);
                  default -> Optional.empty();
                })
        .booleanValue();
  }

  private void check(Service running) throws IOException, InterruptedException {
    IscsiLun lun = IscsiLun.of(running.volume("Accept", "application/json").expect(200));
    Path raw = Files.createTempFile("lun", ".raw");
    try {
      lun.convert(raw);
      disk.check(Files.readAllBytes(raw));
    } finally {
      Files.delete(raw);
    }
  }

  @Override
  public void finish(Service running) throws IOException, InterruptedException {
    pulled.valve().open();
    Answer there = running.volume("Accept", "application/json");
    if (there.status() == 200 && !whole(running)) {
      running.http().delete("/volume").expect(204);
      disk.forget();
      there = running.volume("Accept", "application/json");
    }
    if (there.status() != 200) {
      disk.forget();
      Answer made = running.http().put("/volume", body, YAML);
      BrokenInvariant.unless("the LUN without a fault", 201, made.status());
      if (!whole(running)) {
        throw new BrokenInvariant("the LUN without a fault", "complete", running.status());
      }
    }
    check(running);
    checkBystander();
  }

  @Override
  public void clear(Service running) throws IOException, InterruptedException {
    running.http().delete("/volume").expect(204);
    checkBystander();
    Files.delete(volume().resolve(BYSTANDER));
    try (Stream<Path> left = Files.walk(volume())) {
      List<String> names =
          left.filter(path -> !Files.isDirectory(path))
              .map(path -> volume().relativize(path).toString())
              .filter(name -> !name.equals(LOCK))
              .toList();
      BrokenInvariant.unless("files left in the volume", List.of(), names);
    }
  }

  private void checkBystander() throws IOException {
    if (!Arrays.equals(bystander, Files.readAllBytes(volume().resolve(BYSTANDER)))) {
      throw new BrokenInvariant("content of the file bystander", "unchanged", "other bytes");
    }
  }

  /// Does not close the valve, which belongs to the subject.
  @Override
  public void close() {
    initiator.abandon();
    pulled.valve().open();
  }
}

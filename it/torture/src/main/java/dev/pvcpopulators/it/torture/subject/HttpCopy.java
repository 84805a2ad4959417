package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Nginx;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.content.Disk;
import dev.pvcpopulators.it.torture.content.DiskDirectory;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/// The subject http-copy: each round copies one file from a web server that supports range
/// requests.
final class HttpCopy extends VolumeSubject {
  static final String SERVICE = "http-copy";
  private static final String PREFIX = "HTTP_COPY_";

  private final List<Disk> disks;
  private final Valve valve;

  HttpCopy(Path work, Nginx server, List<Disk> disks, boolean once) throws IOException {
    super(work, SERVICE, once);
    this.disks = List.copyOf(disks);
    this.valve = Valve.before(server.port());
  }

  /// Starts a web server with one file per disk; the file `disk-N` is the image of the disk with
  /// index N.
  static Nginx serve(Path work, List<Disk> disks) throws IOException, InterruptedException {
    Nginx server = Nginx.open(Files.createDirectory(work.resolve("web")), "");
    for (int index = 0; index < disks.size(); index++) {
      Files.copy(disks.get(index).image(), server.file("disk-" + index));
    }
    return server;
  }

  @Override
  public List<String> inputs() {
    return disks.stream().map(Disk::name).toList();
  }

  @Override
  public List<Fault> faults() {
    return ofPull(Fault.ofEverything());
  }

  @Override
  public Attempt attempt(Round round) throws IOException {
    SplittableRandom random = round.random().split();
    boolean older = older(round, random);
    Disk disk = disks.get(round.input());
    String url = valve.base() + "/disk-" + round.input();
    return new CopyAttempt(
        launch(url, older),
        once,
        place,
        new DiskDirectory(place.volume(), disk.expected(), older, random),
        valve,
        "url: " + url,
        Files.size(disk.image()),
        round.moment(),
        tail);
  }

  private Launch launch(String url, boolean overwrite) {
    Launch launch =
        overwriting(
            place
                .launch(SERVICE)
                .with(PREFIX + "INSECURE_HOSTS", valve.address())
                .with(PREFIX + "ALLOWED_HOSTS", valve.address())
                .with(PREFIX + "IDLE_TIMEOUT", "1s")
                .with(PREFIX + "RETRIES", "2"),
            overwrite);
    return once ? launch.with(PREFIX + "URL", url).once() : launch;
  }

  @Override
  public void close() throws IOException {
    valve.close();
  }
}

package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Nginx;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.content.Disk;
import dev.pvcpopulators.it.torture.content.DiskDirectory;
import dev.pvcpopulators.it.torture.fault.ConnectionFault;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.fault.ProcessFault;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/// The subject http-copy: each round copies one file from a web server with ranges.
final class HttpCopy implements Subject {
  static final String SERVICE = "http-copy";
  private static final String PREFIX = "HTTP_COPY_";

  /// One of this many rounds begins with an older disk.
  private static final int OLDER_IN = 6;

  private final boolean once;
  private final List<Disk> disks;
  private final Workspace place;
  private final Valve valve;
  private final FinishTime tail = new FinishTime();

  HttpCopy(Path work, Nginx server, List<Disk> disks, boolean once) throws IOException {
    this.once = once;
    this.disks = List.copyOf(disks);
    this.place = Workspace.in(work, name());
    this.valve = Valve.before(server.port());
  }

  /// Starts a server with one file per disk, named by its index in the list.
  static Nginx serve(Path work, List<Disk> disks) throws IOException, InterruptedException {
    Nginx server = Nginx.open(Files.createDirectory(work.resolve("web")), "");
    for (int index = 0; index < disks.size(); index++) {
      Files.copy(disks.get(index).image(), server.file("disk-" + index));
    }
    return server;
  }

  @Override
  public String name() {
    return once ? SERVICE + "-job" : SERVICE;
  }

  @Override
  public List<String> inputs() {
    return disks.stream().map(Disk::name).toList();
  }

  @Override
  public List<Fault> faults() {
    // A Job has no client.
    return Fault.ofEverything().stream()
        .filter(fault -> !once || fault != ConnectionFault.CLIENT_GONE)
        .toList();
  }

  @Override
  public Attempt attempt(Round round) throws IOException {
    SplittableRandom random = round.random().split();
    boolean older = round.fault() instanceof ProcessFault && random.nextInt(OLDER_IN) == 0;
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
        place
            .launch(SERVICE)
            .with(PREFIX + "INSECURE_HOSTS", valve.address())
            .with(PREFIX + "ALLOWED_HOSTS", valve.address())
            .with(PREFIX + "IDLE_TIMEOUT", "1s")
            .with(PREFIX + "RETRIES", "2");
    if (overwrite) {
      launch = launch.with("POPULATOR_OVERWRITE", "true");
    }
    return once ? launch.with(PREFIX + "URL", url).once() : launch;
  }

  @Override
  public Path temporary() {
    return place.temporary();
  }

  @Override
  public void close() throws IOException {
    valve.close();
  }
}

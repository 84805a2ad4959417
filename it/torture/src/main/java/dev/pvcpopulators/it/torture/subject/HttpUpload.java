package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.torture.content.Disk;
import dev.pvcpopulators.it.torture.content.DiskDirectory;
import dev.pvcpopulators.it.torture.fault.ConnectionFault;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.fault.ProcessFault;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// The subject http-upload: each round uploads one disk.
final class HttpUpload implements Subject {
  static final String SERVICE = "http-upload";

  /// One of this many rounds begins with an older disk.
  private static final int OLDER_IN = 6;

  private final boolean once;
  private final List<Disk> disks;
  private final Workspace place;
  private final FinishTime tail = new FinishTime();

  HttpUpload(Path work, List<Disk> disks, boolean once) throws IOException {
    this.once = once;
    this.disks = disks;
    this.place = Workspace.in(work, name());
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
    List<Fault> faults = new ArrayList<>(Fault.ofEverything());
    faults.remove(ConnectionFault.CLIENT_GONE); // The client is the peer of the connection.
    return faults;
  }

  @Override
  public Attempt attempt(Round round) throws IOException {
    SplittableRandom random = round.random().split();
    boolean older = round.fault() instanceof ProcessFault && random.nextInt(OLDER_IN) == 0;
    Disk disk = disks.get(round.input());
    return new UploadAttempt(
        launch(older),
        once,
        place,
        new DiskDirectory(place.volume(), disk.expected(), older, random),
        Files.readAllBytes(disk.image()),
        round.moment(),
        tail,
        random.nextBoolean());
  }

  private Launch launch(boolean overwrite) {
    Launch launch =
        place
            .launch(SERVICE)
            .with("HTTP_UPLOAD_IDLE_TIMEOUT", "1s")
            .with("HTTP_UPLOAD_RESUME_WINDOW", once ? "1s" : "10s");
    if (overwrite) {
      launch = launch.with("POPULATOR_OVERWRITE", "true");
    }
    return once ? launch.once() : launch;
  }

  @Override
  public Path temporary() {
    return place.temporary();
  }

  @Override
  public void close() {}
}

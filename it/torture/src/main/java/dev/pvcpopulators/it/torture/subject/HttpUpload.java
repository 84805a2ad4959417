package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.torture.content.Disk;
import dev.pvcpopulators.it.torture.content.DiskDirectory;
import dev.pvcpopulators.it.torture.fault.ConnectionFault;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// The subject http-upload: each round uploads one disk.
final class HttpUpload extends VolumeSubject {
  static final String SERVICE = "http-upload";

  private final List<Disk> disks;

  HttpUpload(Path work, List<Disk> disks, boolean once) throws IOException {
    super(work, SERVICE, once);
    this.disks = disks;
  }

  @Override
  public List<String> inputs() {
    return disks.stream().map(Disk::name).toList();
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>(Fault.ofEverything());
    // The client itself sends the disk, so the fault RESET already disconnects the client.
    faults.remove(ConnectionFault.CLIENT_GONE);
    return faults;
  }

  @Override
  public Attempt attempt(Round round) throws IOException {
    SplittableRandom random = round.random().split();
    boolean older = older(round, random);
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
        overwriting(
            place
                .launch(SERVICE)
                .with("HTTP_UPLOAD_IDLE_TIMEOUT", "1s")
                .with("HTTP_UPLOAD_RESUME_WINDOW", once ? "1s" : "10s"),
            overwrite);
    return once ? launch.once() : launch;
  }

  @Override
  public void close() {}
}

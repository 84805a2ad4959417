package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.torture.content.DiskDirectory;
import dev.pvcpopulators.it.torture.content.Images;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.fault.RegistryLie;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// The subject registry-copy: each round copies the disk of one image.
final class RegistryCopy extends VolumeSubject {
  static final String SERVICE = "registry-copy";
  private static final String PREFIX = "REGISTRY_COPY_";

  private final Images images;
  private final Valve valve;

  RegistryCopy(Path work, Images images, boolean once) throws IOException {
    super(work, SERVICE, once);
    this.images = images;
    this.valve = Valve.before(images.registry().port());
  }

  @Override
  public List<String> inputs() {
    return images.all().stream().map(Images.Image::name).toList();
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>(Fault.ofEverything());
    faults.addAll(RegistryLie.all(images.registry()));
    return ofPull(faults);
  }

  @Override
  public Attempt attempt(Round round) throws IOException {
    SplittableRandom random = round.random().split();
    boolean older = older(round, random);
    Images.Image image = images.all().get(round.input());
    return new CopyAttempt(
        launch(image, older),
        once,
        place,
        new DiskDirectory(place.volume(), image.disk().expected(), older, random),
        valve,
        "image: " + valve.image(image.repositoryAndTag()),
        image.length(),
        round.moment(),
        tail);
  }

  private Launch launch(Images.Image image, boolean overwrite) {
    Launch launch =
        overwriting(
            place
                .launch(SERVICE)
                .with(PREFIX + "INSECURE_REGISTRIES", valve.address())
                .with(PREFIX + "IDLE_TIMEOUT", "1s")
                .with(PREFIX + "RETRIES", "2"),
            overwrite);
    return once
        ? launch.with(PREFIX + "IMAGE", valve.image(image.repositoryAndTag())).once()
        : launch;
  }

  @Override
  public void close() throws IOException {
    valve.close();
  }
}

package dev.pvcpopulators.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.disk.Recipe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The subject of registry-stream-iscsi: a containerDisk with a qcow2 image. The configured service
/// answers only after the complete pull, so that a test can interrupt the creation of the volume.
record RegistryStreamIscsiSubject(Path disk, HeldImages images, int port)
    implements ContractSubject {
  private static final String PREFIX = "REGISTRY_STREAM_ISCSI_";
  private static final Seed SEED = Seed.of("RegistryStreamIscsiSubject");

  static RegistryStreamIscsiSubject in(Path directory) throws IOException, InterruptedException {
    Path disk = Recipe.qcow2().getFirst().make(directory, SEED.random());
    return new RegistryStreamIscsiSubject(
        disk, RegistryCopySubject.images(directory, disk), FreePort.any());
  }

  @Override
  public Container container(Path volume) throws IOException {
    return images
        .configure(Container.on(StreamLaunch.NAME, volume), PREFIX)
        .with(PREFIX + "HOST", "127.0.0.1")
        .with(PREFIX + "PORT", Integer.toString(port))
        .with(PREFIX + "TARGET", StreamLaunch.TARGET)
        .with(PREFIX + "READY", "complete");
  }

  @Override
  public Container refusing(Path volume) throws IOException {
    return images.misconfigure(container(volume), PREFIX);
  }

  @Override
  public Refusal refusal() {
    return HeldImages.refusal();
  }

  @Override
  public void hold() {
    images.hold();
  }

  @Override
  public Half half(Service service) {
    return images.half();
  }

  @Override
  public void feed(Service service) {}

  @Override
  public void feedRefused(Service service) {}

  @Override
  public Optional<String> refusedBody() {
    return Optional.of(images.refusedBody());
  }

  @Override
  public Optional<String> otherBody() {
    return Optional.of(images.otherBody());
  }

  @Override
  public boolean grows() {
    return true;
  }

  @Override
  public void assertMade(Path volume, Answer json) throws IOException {
    assertEquals(json.json().path("lun"), json.json().path("iscsi").path("lun"), json::toString);
    IscsiLun lun = IscsiLun.of(json);
    assertEquals(port, lun.port());
    assertEquals(StreamLaunch.TARGET, lun.target());
    lun.assertHas(disk, "qcow2");
  }

  @Override
  public void close() throws IOException {
    images.close();
  }
}

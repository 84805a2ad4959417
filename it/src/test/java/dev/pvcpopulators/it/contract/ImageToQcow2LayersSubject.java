package dev.pvcpopulators.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// The subject of image-to-qcow2-layers: an image with two layers and without boot files.
record ImageToQcow2LayersSubject(HeldImages images) implements ContractSubject {
  private static final String PREFIX = "IMAGE_TO_QCOW2_LAYERS_";
  private static final String MACHINE = "contract";
  private static final int LAYERS = 2;
  private static final int LAYER_LENGTH = 6 << 20;
  private static final Seed SEED = Seed.of("ImageToQcow2LayersSubject");

  static ImageToQcow2LayersSubject in(Path directory) throws IOException, InterruptedException {
    ImageLayout configured = ImageLayout.in(directory, "configured");
    Random random = SEED.random();
    List<Content> layers = new ArrayList<>();
    byte[] data = new byte[LAYER_LENGTH];
    for (int i = 0; i < LAYERS; i++) {
      random.nextBytes(data);
      Path file = Files.write(directory.resolve("data-" + i), data);
      LayerTree tree = LayerTree.in(directory, "tree-" + i).file("data-" + i, file);
      layers.add(configured.layer(Family.OCI, Packing.GZIP, tree));
    }
    configured.tag(ImageLayout.LATEST, configured.image(Family.OCI, layers));
    ImageLayout other = ImageLayout.in(directory, "other");
    Content only =
        other.layer(Family.OCI, Packing.GZIP, LayerTree.in(directory, "tree").empty("only"));
    other.tag(ImageLayout.LATEST, other.image(Family.OCI, List.of(only)));
    return new ImageToQcow2LayersSubject(HeldImages.of(directory, configured, other));
  }

  @Override
  public Container container(Path volume) throws IOException {
    return images
        .configure(Container.on("image-to-qcow2-layers", volume), PREFIX)
        .with(PREFIX + "NAME", MACHINE)
        .with(PREFIX + "COMMAND", "/nothing")
        .with(PREFIX + "KERNEL", Container.VOLUME);
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
    return false;
  }

  @Override
  public void assertMade(Path volume, Answer json) throws IOException, InterruptedException {
    assertEquals(
        "{\"pvc\":{\"claimname\":\"some-pvc-name\"}}", json.json().toString(), json::toString);
    LayersVolume made = new LayersVolume(volume);
    made.assertSound();
    assertEquals(LAYERS, made.chain(MACHINE).size());
  }

  @Override
  public void close() throws IOException {
    images.close();
  }
}

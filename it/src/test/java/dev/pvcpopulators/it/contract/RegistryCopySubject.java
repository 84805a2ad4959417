package dev.pvcpopulators.it.contract;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The subject of registry-copy: a containerDisk with a qcow2 image.
record RegistryCopySubject(Path disk, HeldImages images) implements ContractSubject {
  private static final String PREFIX = "REGISTRY_COPY_";
  private static final Seed SEED = Seed.of("RegistryCopySubject");

  static RegistryCopySubject in(Path directory) throws IOException, InterruptedException {
    Path disk = Recipe.qcow2().getFirst().make(directory, SEED.random());
    return new RegistryCopySubject(disk, images(directory, disk));
  }

  /// Starts a registry with two containerDisks, which contain different disks.
  static HeldImages images(Path directory, Path disk) throws IOException, InterruptedException {
    Path place = Files.createDirectory(directory.resolve("other"));
    Path other = Recipe.raw().getFirst().make(place, SEED.random(1));
    return HeldImages.of(
        directory,
        ImageLayout.containerDisk(directory, "configured", Family.OCI, Packing.GZIP, disk),
        ImageLayout.containerDisk(place, "layout", Family.DOCKER, Packing.GZIP, other));
  }

  @Override
  public Container container(Path volume) throws IOException {
    return images.configure(Container.on("registry-copy", volume), PREFIX);
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
    HttpUploadSubject.assertDisk(volume, disk, json);
  }

  @Override
  public void close() throws IOException {
    images.close();
  }
}

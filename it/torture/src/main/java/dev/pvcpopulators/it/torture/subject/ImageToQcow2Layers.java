package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.torture.content.LayersStore;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.fault.RegistryLie;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// The subject image-to-qcow2-layers: each round makes a machine from one image. Before each round,
/// the volume already contains a machine with the same lowest layer as the image. No round boots a
/// machine, so the disks need not be bootable.
final class ImageToQcow2Layers extends VolumeSubject {
  static final String SERVICE = "image-to-qcow2-layers";
  private static final String PREFIX = "IMAGE_TO_QCOW2_LAYERS_";
  private static final String REPOSITORY = "machines/torture:";
  private static final String BEFORE = "before";
  private static final String SIZE = "64M";
  private static final int LAYER_LENGTH = 2 << 20;
  private static final int FILES = 40;

  private final Machines machines;
  private final Valve valve;

  /// The inputs of the rounds, for the service and for the Job.
  ///
  /// @param before the machine that exists before each round
  record Machines(LyingRegistry registry, Path kernel, LayersStore.Machine before, List<Input> all)
      implements Closeable {
    Machines {
      all = List.copyOf(all);
    }

    @Override
    public void close() {
      registry.close();
    }
  }

  /// A machine that a round makes. The machine's name is the image's tag.
  ///
  /// @param length the total length in bytes of the image's layers, without the layer that the
  ///   existing machine already has
  record Input(LayersStore.Machine machine, long length) {}

  ImageToQcow2Layers(Path work, Machines machines, boolean once) throws IOException {
    super(work, SERVICE, once);
    this.machines = machines;
    this.valve = Valve.before(machines.registry().port());
  }

  /// Makes the images, and starts a registry with the images. Then makes one machine from each
  /// image, without injecting a fault.
  static Machines machines(Path work, Random random) throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "machines");
    Content lowest = layer(layout, Packing.GZIP, "lowest", random);
    layout.tag(BEFORE, layout.image(Family.OCI, List.of(lowest)));
    layout.tag(
        "two-layers",
        layout.image(
            Family.OCI, List.of(lowest, layer(layout, Packing.GZIP_STORED, "two", random))));
    layout.tag(
        "four-layers",
        layout.image(
            Family.OCI,
            List.of(
                lowest,
                layer(layout, Packing.NONE, "second", random),
                layer(layout, Packing.GZIP, "third", random),
                layer(layout, Packing.GZIP, "fourth", random))));
    layout.tag(
        "zstd",
        layout.image(Family.OCI, List.of(lowest, layer(layout, Packing.ZSTD, "zstd", random))));
    LyingRegistry registry = LyingRegistry.of(layout);
    Path kernel = Files.createDirectory(work.resolve("no-kernel"));
    LayersVolume reference = LayersVolume.in(work, "reference");
    List<Input> inputs = new ArrayList<>();
    LayersStore.Machine before = made(registry, kernel, reference, BEFORE);
    for (String tag : List.of("two-layers", "four-layers", "zstd")) {
      long length = layout.layers(tag).stream().skip(1).mapToLong(Content::size).sum();
      inputs.add(new Input(made(registry, kernel, reference, tag), length));
    }
    reference.assertSound();
    return new Machines(registry, kernel, before, inputs);
  }

  /// Makes a layer with small files, a large file, and a whiteout of a directory that a lower layer
  /// may contain.
  private static Content layer(ImageLayout layout, Packing packing, String name, Random random)
      throws IOException {
    LayerTree tree = LayerTree.in(layout.directory(), name);
    byte[] data = new byte[LAYER_LENGTH];
    random.nextBytes(data);
    tree.file("var/" + name, Files.write(layout.directory().resolve(name + ".data"), data));
    for (int i = 0; i < FILES; i++) {
      String text = name + i;
      Path file = Files.writeString(layout.directory().resolve(text + ".text"), text);
      tree.file("etc/" + random.nextInt(FILES) + "/" + text, file);
    }
    tree.empty("etc/.wh." + random.nextInt(FILES)).symlink("link", "var/" + name);
    return layout.layer(Family.OCI, packing, tree);
  }

  private static LayersStore.Machine made(
      LyingRegistry registry, Path kernel, LayersVolume reference, String tag)
      throws IOException, InterruptedException {
    Launch job =
        configured(Launch.of(SERVICE, reference.path()), registry.address(), kernel)
            .with(PREFIX + "NAME", tag)
            .with(PREFIX + "IMAGE", "docker://" + registry.address() + "/" + REPOSITORY + tag)
            .once();
    try (Service making = new Service(job.begin(), false)) {
      BrokenInvariant.unless("exit status of the job before all rounds", 0, making.awaitExit());
    }
    return LayersStore.Machine.in(reference, tag);
  }

  private static Launch configured(Launch launch, String address, Path kernel) {
    return launch
        .with(PREFIX + "INSECURE_REGISTRIES", address)
        .with(PREFIX + "KERNEL", kernel.toString())
        .with(PREFIX + "COMMAND", "/nothing")
        .with(PREFIX + "SIZE", SIZE)
        .with(PREFIX + "IDLE_TIMEOUT", "1s")
        .with(PREFIX + "RETRIES", "2");
  }

  @Override
  public List<String> inputs() {
    return machines.all().stream().map(input -> input.machine().name()).toList();
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>(Fault.ofEverything());
    faults.addAll(RegistryLie.all(machines.registry()));
    return ofPull(faults);
  }

  @Override
  public Attempt attempt(Round round) {
    Input input = machines.all().get(round.input());
    String name = input.machine().name();
    String image = valve.image(REPOSITORY + name);
    Launch launch = configured(place.launch(SERVICE), valve.address(), machines.kernel());
    return new CopyAttempt(
        once ? launch.with(PREFIX + "IMAGE", image).with(PREFIX + "NAME", name).once() : launch,
        once,
        place,
        new LayersStore(place.volume(), machines.before(), input.machine(), valve.address()),
        valve,
        "image: %s%nname: %s".formatted(image, name),
        input.length(),
        round.moment(),
        tail);
  }

  @Override
  public void close() throws IOException {
    valve.close();
  }
}

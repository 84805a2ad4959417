package dev.pvcpopulators.it.torture.subject;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.torture.content.WrittenDisk;
import dev.pvcpopulators.it.torture.fault.Fault;
import dev.pvcpopulators.it.torture.fault.FaultyVolume;
import dev.pvcpopulators.it.torture.fault.RegistryLie;
import dev.pvcpopulators.it.torture.outcome.Attempt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/// The subject registry-stream-iscsi: in each round an initiator writes to one LUN while the LUN's
/// image arrives.
final class StreamIscsi implements Subject {
  private static final int LENGTH = 16 << 20;

  /// A shell script that starts the service with a boot ID from a file. Each simulated power loss
  /// changes the boot ID. If only the process ends, all written data survives; after a power loss,
  /// only flushed data survives. The service distinguishes the two cases by the kernel's boot ID.
  private static final String WITH_BOOT_ID =
      "mount --bind \"$0\" /proc/sys/kernel/random/boot_id && exec \"$@\"";

  private final LyingRegistry registry;
  private final Valve valve;
  private final int port;
  private final Workspace place;
  private final List<Input> inputs;

  /// The input of a round: an image, and the copy mode of the LUN that is made from the image.
  ///
  /// @param tag the tag of the image
  /// @param disk the bytes of the disk
  /// @param length the length of the image's layer in bytes
  /// @param copyMode the copy mode of the LUN
  record Input(String tag, ByteBuffer disk, long length, String copyMode) {
    String name() {
      return tag + ", " + copyMode;
    }
  }

  private StreamIscsi(Workspace place, LyingRegistry registry, Valve valve, List<Input> inputs)
      throws IOException {
    this.place = place;
    this.registry = registry;
    this.valve = valve;
    this.inputs = inputs;
    this.port = FreePort.any();
  }

  /// Makes the images, starts a registry with the images, and returns the subject.
  ///
  /// @param random the source of random numbers for the images
  static StreamIscsi in(Path work, Random random) throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "streamed");
    List<Input> inputs = new ArrayList<>();
    inputs.add(input(layout, "raw", "raw", "", Packing.NONE, "copy-on-write", random));
    inputs.add(input(layout, "raw-gzip", "raw", "", Packing.GZIP, "copy-on-read", random));
    inputs.add(input(layout, "qcow2", "qcow2", "", Packing.NONE, "copy-on-write", random));
    inputs.add(input(layout, "qcow2-zstd", "qcow2", "-c", Packing.ZSTD, "none", random));
    inputs.add(input(layout, "qcow2-gzip", "qcow2", "", Packing.GZIP_STORED, "clone", random));
    LyingRegistry registry = LyingRegistry.of(layout);
    Workspace place = Workspace.in(work, StreamLaunch.NAME);
    FaultyVolume.boot(place.volume());
    return new StreamIscsi(place, registry, Valve.before(registry.port()), inputs);
  }

  private static Input input(
      ImageLayout layout,
      String tag,
      String format,
      String option,
      Packing packing,
      String copyMode,
      Random random)
      throws IOException, InterruptedException {
    byte[] disk = WrittenDisk.image(LENGTH, random);
    Path raw = Files.write(layout.directory().resolve(tag + ".raw"), disk);
    Path image = layout.directory().resolve(tag + "." + format + ".disk");
    List<String> convert = new ArrayList<>(List.of("convert", "-f", "raw", "-O", format));
    if (!option.isEmpty()) {
      convert.add(option);
    }
    convert.addAll(List.of(raw.toString(), image.toString()));
    QemuImg.run(convert.toArray(String[]::new));
    LayerTree tree = LayerTree.in(layout.directory(), tag + ".tree").file("disk/disk", image);
    var layer = layout.layer(Family.OCI, packing, tree);
    layout.tag(tag, layout.image(Family.OCI, List.of(layer)));
    Command.run("rm", raw.toString());
    return new Input(tag, ByteBuffer.wrap(disk), layer.size(), copyMode);
  }

  @Override
  public String name() {
    return StreamLaunch.NAME;
  }

  @Override
  public List<String> inputs() {
    return inputs.stream().map(Input::name).toList();
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults = new ArrayList<>(Fault.ofEverything());
    faults.addAll(RegistryLie.all(registry));
    return faults;
  }

  @Override
  public Attempt attempt(Round round) throws IOException {
    Input input = inputs.get(round.input());
    SplittableRandom random = round.random().split();
    return new StreamAttempt(launch(), place, input, valve, round.moment(), random);
  }

  private Launch launch() throws IOException {
    return new StreamLaunch(place.launch(StreamLaunch.NAME), port)
        .with("HOST", "127.0.0.1")
        .with("PORT", Integer.toString(port))
        .with("TARGET", StreamLaunch.TARGET)
        .with("INSECURE_REGISTRIES", valve.address())
        .with("IDLE_TIMEOUT", "1s")
        .with("RETRIES", "2")
        .launch()
        .under(
            "unshare",
            "--mount",
            "--propagation",
            "slave",
            "sh",
            "-c",
            WITH_BOOT_ID,
            FaultyVolume.boot(place.volume()).toString());
  }

  @Override
  public Path temporary() {
    return place.temporary();
  }

  @Override
  public void close() throws IOException {
    valve.close();
    registry.close();
  }
}

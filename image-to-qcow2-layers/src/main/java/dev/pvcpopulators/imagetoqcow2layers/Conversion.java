package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Chain;
import dev.pvcpopulators.diskimage.target.DiskRecord;
import dev.pvcpopulators.diskimage.target.Origin;
import dev.pvcpopulators.diskimage.target.VolumeWriter;
import dev.pvcpopulators.ext4.TreeReader;
import dev.pvcpopulators.imagetoqcow2layers.boot.GuestKernel;
import dev.pvcpopulators.imagetoqcow2layers.boot.GuestProcess;
import dev.pvcpopulators.imagetoqcow2layers.boot.Machine;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerKey;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerStore;
import dev.pvcpopulators.imagetoqcow2layers.store.StackConversion;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.volume.Cancellation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Progress;
import dev.pvcpopulators.volume.Registration;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.disk.DiskVolume;
import dev.pvcpopulators.volume.source.RegistryAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/// One conversion: image, layers, machine, and the flattened disk where that is asked for.
///
/// ```
/// blob (GET, digest) ─▶ decompress ─▶ diff ID ─▶ tar ─▶ ext4 ─▶ qcow2     each missing layer
///                                     layers ─▶ disk, kernel, initrd, …   the machine
///                                     layers, disk ─▶ raw                 where flattened
/// ```
final class Conversion {
  private static final Logger LOG = Logger.getLogger(Conversion.class);

  /// Where things are, and whether what is there may be replaced.
  record Places(
      StoreLayout store,
      Path kernel,
      DiskVolume volume,
      RegistryAccess registries,
      boolean overwrite) {}

  private final LayersRequest asked;
  private final Places places;
  private final Progress progress;
  private final Cancellation cancellation;
  private final ConversionReport report;
  private final Machines machines;

  Conversion(LayersRequest asked, Places places, Progress progress, Cancellation cancellation) {
    this.asked = asked;
    this.places = places;
    this.progress = progress;
    this.cancellation = cancellation;
    this.report = new ConversionReport(asked.reference());
    this.machines = new Machines(places.store().images());
  }

  /// Converts, or finds that everything is there.
  ///
  /// @throws VolumeException where something else is in the way
  void run() throws IOException, VolumeException, InterruptedException {
    Optional<MadeImage> present = machines.find(asked.name());
    Optional<GuestKernel> kernel = GuestKernel.find(places.kernel());
    try (StoreLock _ = StoreLock.toConvert(places.store());
        ImageSource source = places.registries().open(asked.image());
        Registration _ = cancellation.onCancel(() -> abort(source))) {
      Image image = source.resolve(asked.choice());
      ImageStack stack = ImageStack.of(image, asked);
      LayerStore layers = LayerStore.open(places.store().layers());
      int shared = layers.present(stack.keys());
      progress.sourceDigest(image.digest().toString());
      progress.virtualSize(asked.geometry().size());
      progress.total(stack.bytes(shared));
      progress.details(report.resolved(image, shared));
      MadeImage wanted = stack.made(asked, kernel);
      boolean kept = keepsDisks(present, wanted);
      if (!kept) {
        requireVacant(present);
      }
      // Layers that somebody removed come back as they were, under the disk that lies over them.
      StackConversion.Converted converted = layers(stack, source, layers);
      if (kept && present.filter(made -> made.boot().equals(wanted.boot())).isPresent()) {
        skip(image);
      } else {
        convert(image, stack, converted, layers, kernel, kept);
      }
    }
  }

  /// Whether the disks that are there are those that are wanted, with what was written to them.
  private boolean keepsDisks(Optional<MadeImage> present, MadeImage wanted) throws IOException {
    return present.filter(wanted::sameDisks).isPresent()
        && (!asked.flatten()
            || places.volume().recorded().filter(record -> flattened(record, wanted)).isPresent());
  }

  private static boolean flattened(DiskRecord record, MadeImage wanted) {
    return record.sourceDigest().equals(wanted.digest())
        && record.selection().equals(wanted.disk());
  }

  private void requireVacant(Optional<MadeImage> present) throws VolumeException {
    if (present.isPresent() && !places.overwrite()) {
      throw new VolumeException(
          new Failure.VolumeNotEmpty(
              "Making "
                  + machines.home(asked.name())
                  + ": expected nothing there, or the same disks, found those of "
                  + present.get().image()
                  + " ("
                  + present.get().digest()
                  + ", "
                  + present.get().disk()
                  + "); choose another "
                  + LayersRequest.PREFIX
                  + "NAME, or set POPULATOR_OVERWRITE=true to replace them with all that was"
                  + " written to them"));
    }
    if (asked.flatten()) {
      places.volume().requireVacant();
    }
  }

  private void skip(Image image) {
    progress.details(report.skipped(machines.home(asked.name())));
    LOG.infof(
        "The machine is there already: directory=%s image=%s digest=%s",
        machines.home(asked.name()), asked.reference(), image.digest());
  }

  private StackConversion.Converted layers(ImageStack stack, ImageSource source, LayerStore store)
      throws IOException, InterruptedException {
    return StackConversion.run(
        stack.stack(),
        source.blobs(),
        store,
        new LayerProgress(stack.stack().layers(), report, progress));
  }

  private void convert(
      Image image,
      ImageStack stack,
      StackConversion.Converted converted,
      LayerStore store,
      Optional<GuestKernel> kernel,
      boolean keepDisks)
      throws IOException, InterruptedException {
    progress.finalizing();
    List<Path> files = new ArrayList<>();
    for (LayerKey key : converted.keys()) {
      files.add(store.file(key));
    }
    machines.make(
        asked.name(), directory -> machine(directory, image, stack, files, kernel, keepDisks));
    long bytes = 0;
    for (Path file : files.subList(files.size() - converted.made(), files.size())) {
      bytes += Files.size(file);
    }
    progress.details(report.made(machines.home(asked.name()), kernel.isPresent(), bytes));
    LOG.infof(
        "The machine is ready: directory=%s image=%s digest=%s layers=%d made=%d bytes=%d",
        machines.home(asked.name()),
        asked.reference(),
        image.digest(),
        files.size(),
        converted.made(),
        bytes);
    if (kernel.isEmpty()) {
      LOG.warnf(
          "No kernel with modules and a static busybox in %s: there is nothing to boot the disk"
              + " with",
          places.kernel());
    }
  }

  private MadeImage machine(
      Path directory,
      Image image,
      ImageStack stack,
      List<Path> layers,
      Optional<GuestKernel> kernel,
      boolean keepDisks)
      throws IOException {
    MachineFiles files = new MachineFiles(directory);
    List<String> names = stack.keys().stream().map(LayerKey::fileName).toList();
    try (Qcow2Chain chain = Qcow2Chain.open(layers, asked.geometry().size())) {
      ImageConfig config = stack.config();
      GuestProcess process =
          GuestProcess.of(config, asked.overrides(), TreeReader.open(new ChainDevice(chain)));
      if (keepDisks) {
        files.keepDisks(machines.home(asked.name()));
      } else {
        disks(files, chain, names.getLast());
      }
      files.boot(
          new Machine(
              asked.name(),
              asked.reference().toString(),
              image.digest().toString(),
              names,
              asked.geometry().size(),
              process,
              config.exposedPorts(),
              kernel.map(GuestKernel::release),
              asked.dataGeometry().isPresent()),
          kernel);
    }
    MadeImage made = stack.made(asked, kernel);
    if (asked.flatten() && !keepDisks) {
      List<Path> all = new ArrayList<>(layers);
      all.add(directory.resolve(MachineFiles.DISK));
      flatten(all, made);
    }
    return made;
  }

  private void disks(MachineFiles files, Qcow2Chain chain, String topLayer) throws IOException {
    files.disk(chain, "../../layers/" + topLayer, asked.geometry(), asked.journal());
    if (asked.dataGeometry().isPresent()) {
      files.data(asked.dataGeometry().get());
    }
  }

  private void flatten(List<Path> files, MadeImage made) throws IOException {
    try (Qcow2Chain chain = Qcow2Chain.open(files, asked.geometry().size());
        VolumeWriter writer = places.volume().open();
        Registration _ = cancellation.onCancel(writer::cancel)) {
      chain.copyTo(writer);
      writer.publish(new Origin(made.digest(), made.image(), made.disk()), ImageFormat.QCOW2);
    }
  }

  /// Whoever cancels has more to end than this: a connection that cannot be closed is told, and
  /// left to its timeout.
  private static void abort(ImageSource source) {
    try {
      source.close();
    } catch (IOException e) {
      LOG.warn("Cancelling the conversion: its source does not close", e);
    }
  }
}

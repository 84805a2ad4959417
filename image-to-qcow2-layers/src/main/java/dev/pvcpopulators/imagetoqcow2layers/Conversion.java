package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.ext4.TreeReader;
import dev.pvcpopulators.imagetoqcow2layers.boot.GuestKernel;
import dev.pvcpopulators.imagetoqcow2layers.boot.GuestProcess;
import dev.pvcpopulators.imagetoqcow2layers.boot.Machine;
import dev.pvcpopulators.imagetoqcow2layers.machine.MachineFiles;
import dev.pvcpopulators.imagetoqcow2layers.machine.Machines;
import dev.pvcpopulators.imagetoqcow2layers.machine.MadeImage;
import dev.pvcpopulators.imagetoqcow2layers.store.LayerStore;
import dev.pvcpopulators.imagetoqcow2layers.store.StackConversion;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.lifecycle.Cancellation;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.Registration;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.linux.LockFile;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/// Converts one image to layers, a machine and, if requested, a flattened disk.
///
/// ```
/// blob (GET, digest) ─▶ decompress ─▶ diff ID ─▶ tar ─▶ ext4 ─▶ qcow2     each missing layer
///                                     layers ─▶ disk, kernel, initrd, …   the machine
///                                     layers, new disk ─▶ raw             if requested
/// ```
final class Conversion {
  private static final Logger LOG = Logger.getLogger(Conversion.class);

  /// The name of a temporary directory in the machine's directory. During the flattening, the
  /// temporary directory contains a new disk on top of the layers.
  private static final String FLATTENING = "flattening";

  /// The inputs that all conversions of this process have in common.
  record Places(
      StoreLayout store,
      Path kernel,
      DiskVolume volume,
      ClaimName claim,
      RegistryAccess registries,
      boolean overwrite) {
    /// Returns whether the volume contains the machine's flattened disk. A machine in the store
    /// does not prove that this volume contains the flattened disk, because several volumes can
    /// share a store.
    boolean flattened(MadeImage made) throws IOException {
      return volume.recorded().filter(made::flattenedTo).isPresent();
    }
  }

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

  /// Converts the image. Keeps the layers that exist. Keeps the machine and the flattened disk if
  /// they exist and were made from the same inputs.
  ///
  /// @throws VolumeException if a machine or a disk that was made from other inputs exists and must
  ///   not be replaced, or if the volume has no room for the flattened disk
  void run() throws IOException, VolumeException, InterruptedException {
    Optional<GuestKernel> kernel = GuestKernel.find(places.kernel());
    try (LockFile _ = places.store().lockToConvert();
        ImageSource source = places.registries().open(asked.image());
        Registration _ = cancellation.onCancel(() -> abort(source))) {
      Image image = source.resolve(asked.image().choice());
      ImageStack stack = ImageStack.of(image, asked);
      LayerStore layers = LayerStore.open(places.store().layers(), asked.registry());
      int shared = StackConversion.shared(stack.stack(), source.blobs(), layers);
      progress.sourceDigest(image.digest().toString());
      progress.virtualSize(asked.geometry().size());
      progress.total(stack.bytes(shared));
      progress.details(report.resolved(image, shared));
      GuestProcess.requireProgram(stack.config(), asked.overrides());
      MadeImage wanted = stack.made(asked, places.claim(), kernel);
      // A conversion that is refused here pulls no layer. `make` repeats the check under the
      // machine's lock.
      requireVacant(machines.find(asked.name()), wanted);
      // If layers of an existing disk are missing, `layers` makes them again with identical bytes.
      StackConversion.Converted converted = layers(stack, source, layers);
      progress.finalizing();
      machines.make(
          asked.name(),
          (present, directory) ->
              make(new Work(stack, wanted, kernel), converted, layers, present, directory));
    }
  }

  /// The machine to make, and its inputs.
  private record Work(ImageStack stack, MadeImage wanted, Optional<GuestKernel> kernel) {}

  /// Returns true if no flattened disk is requested, or if the volume already has the flattened
  /// disk of this image, made from the same disk inputs.
  private boolean flattened(MadeImage wanted) throws IOException {
    return !asked.flatten() || places.flattened(wanted);
  }

  private void requireVacant(Optional<MadeImage> present, MadeImage wanted)
      throws IOException, VolumeException {
    if (present.isPresent() && present.filter(wanted::sameDisks).isEmpty() && !places.overwrite()) {
      throw new VolumeException(
          new Failure.VolumeNotEmpty(
              ("Making %s: expected nothing there, or the same disks, found those of %s (%s, %s);"
                      + " choose another %sNAME, or set POPULATOR_OVERWRITE=true to replace these"
                      + " disks; all data that was written to them is then lost")
                  .formatted(
                      machines.home(asked.name()),
                      present.get().image(),
                      present.get().digest(),
                      present.get().disk(),
                      LayersRequest.PREFIX)));
    }
    if (!flattened(wanted)) {
      places.volume().requireVacant();
      requireRoom();
    }
  }

  /// Checks that the flattened disk fits into the volume. Called before layers are pulled, and
  /// again under the machine's lock.
  ///
  /// @throws VolumeException with [Failure.ExceedsVolume] if the disk does not fit
  private void requireRoom() throws IOException, VolumeException {
    long available = places.volume().available();
    long size = asked.geometry().size();
    if (size > available) {
      throw new VolumeException(
          new Failure.ExceedsVolume(
              "Flattening to %s: the disk has %s bytes, and there is room for %s; %sSIZE makes it smaller"
                  .formatted(places.volume().path(), size, available, LayersRequest.PREFIX),
              size,
              available,
              false));
    }
  }

  private StackConversion.Converted layers(ImageStack stack, ImageSource source, LayerStore store)
      throws IOException, InterruptedException {
    try (LayerProgress shown = new LayerProgress(stack.stack().layers(), report, progress)) {
      progress.parts(shown::parts);
      return StackConversion.run(stack.stack(), source.blobs(), store, shown);
    }
  }

  /// Makes the machine, unless a machine with the same inputs exists. Makes the flattened disk if
  /// it was requested and does not exist.
  ///
  /// @return the record of the new machine; empty if the existing machine remains unchanged
  private Optional<MadeImage> make(
      Work work,
      StackConversion.Converted converted,
      LayerStore store,
      Optional<MadeImage> present,
      Path directory)
      throws IOException, VolumeException {
    requireVacant(present, work.wanted);
    boolean kept = present.filter(work.wanted::sameDisks).isPresent();
    boolean flattened = flattened(work.wanted);
    boolean whole = kept && present.get().boot().equals(work.wanted.boot());
    List<Path> files = converted.keys().stream().map(store::file).toList();
    try (Qcow2Chain chain = Qcow2Chain.open(files, asked.geometry().size())) {
      if (!whole) {
        machine(directory, work, chain, kept);
      }
      if (!flattened) {
        flatten(directory, files, chain, work.wanted);
      }
    }
    Path home = machines.home(asked.name());
    if (whole && flattened) {
      progress.details(report.skipped(home));
      LOG.infof(
          "The machine exists already: directory=%s image=%s digest=%s",
          home, asked.reference(), work.wanted.digest());
    } else {
      long bytes = 0;
      for (Path file : files.subList(files.size() - converted.made(), files.size())) {
        bytes += Files.size(file);
      }
      made(work, converted, bytes);
    }
    return whole ? Optional.empty() : Optional.of(work.wanted);
  }

  private void made(Work work, StackConversion.Converted converted, long bytes) {
    Path home = machines.home(asked.name());
    progress.details(report.made(home, work.kernel.isPresent(), bytes));
    LOG.infof(
        "The machine is made: directory=%s image=%s digest=%s layers=%d made=%d bytes=%d",
        home,
        asked.reference(),
        work.wanted.digest(),
        converted.keys().size(),
        converted.made(),
        bytes);
    if (work.kernel.isEmpty()) {
      LOG.warnf(
          "No kernel with modules and a static busybox in %s: the machine has no boot files",
          places.kernel());
    }
  }

  private void machine(Path directory, Work work, Qcow2Chain chain, boolean keepDisks)
      throws IOException {
    MachineFiles files = new MachineFiles(directory);
    List<String> names = work.wanted.layers();
    ImageConfig config = work.stack.config();
    GuestProcess process =
        GuestProcess.of(config, asked.overrides(), TreeReader.open(new ChainDevice(chain)));
    if (keepDisks) {
      files.keepDisks(machines.home(asked.name()));
    } else {
      files.disk(chain, "../../layers/" + names.getLast(), asked.geometry(), asked.journal());
      if (asked.dataGeometry().isPresent()) {
        files.data(asked.dataGeometry().get());
      }
    }
    files.boot(
        new Machine(
            asked.name(),
            places.claim().value(),
            asked.reference().toString(),
            work.wanted.digest(),
            names,
            asked.geometry().size(),
            process,
            config.exposedPorts(),
            work.kernel.map(GuestKernel::release),
            asked.dataGeometry().isPresent()),
        work.kernel);
  }

  /// Flattens the layers, and a new disk on top of the layers, into the volume. The machine's own
  /// disk is not used, because the machine may have written to this disk.
  private void flatten(Path directory, List<Path> layers, Qcow2Chain below, MadeImage made)
      throws IOException {
    Path scratch = Files.createDirectory(directory.resolve(FLATTENING));
    String top = "../../../layers/" + made.layers().getLast();
    new MachineFiles(scratch).disk(below, top, asked.geometry(), asked.journal());
    Path disk = scratch.resolve(Machine.DISK);
    List<Path> all = new ArrayList<>(layers);
    all.add(disk);
    try (Qcow2Chain chain = Qcow2Chain.open(all, asked.geometry().size());
        VolumeWriter writer = places.volume().open();
        Registration _ = cancellation.onCancel(writer::cancel)) {
      chain.copyTo(writer);
      writer.publish(new Origin(made.digest(), made.image(), made.disk()), ImageFormat.QCOW2);
    }
    Files.delete(disk);
    Files.delete(scratch);
  }

  /// Closes the source. A failure is only logged, because the cancellation must continue. After a
  /// failure, a time-out ends the connection.
  private static void abort(ImageSource source) {
    try {
      source.close();
    } catch (IOException e) {
      LOG.warnf("Cancelling the conversion: cannot close its source: %s", e.getMessage());
    }
  }
}
